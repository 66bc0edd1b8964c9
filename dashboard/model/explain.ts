import type { KeyState } from './controller-model.ts';
import { durationText } from './durations.ts';
import type { Pass } from './passes.ts';

/** What an explanation is made of. */
export interface Explained {
  readonly key: string;
  readonly state?: KeyState | undefined;
  /** Oldest first. */
  readonly passes: readonly Pass[];
  /** The object the key names, where it is known. */
  readonly object?: ExplainedObject | undefined;
  readonly nowMs: number;
}

/** The parts of an object that say why nothing happens to it. */
export interface ExplainedObject {
  readonly kind?: string;
  readonly metadata?: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
  readonly spec?: { readonly suspend?: boolean; readonly signerName?: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly certificate?: string };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Why a key is in its state, in one sentence for people. */
export function explain({ key, state, passes, object, nowMs }: Explained): string {
  if (state === undefined) return `No pass over ${key} is in the journal.`;
  const because = object === undefined ? undefined : reasonOf(object);
  const also = because === undefined ? '' : `; ${because}`;
  if (state.passId !== undefined)
    return `${key} has been in ${state.state || 'a pass'} for ${durationText(nowMs - state.sinceMs)}${pending(passes)}.`;
  switch (state.outcome) {
    case 'failed':
      return `The last pass over ${key} failed${whereOf(passes)}: ${state.error ?? 'no reason was given'}; ${again(state, nowMs)}${failures(state.retries)}.`;
    case 'requeue':
      return `${key} waits (${withoutDelay(state.reason)}) and ${again(state, nowMs)}${also}.`;
    default:
      return `${key} is settled: ${because ?? 'nothing is left to do until something it depends on changes'}.`;
  }
}

/** The journal's reasons end with the delay, which is told as a time from now. */
const withoutDelay = (reason = 'no reason was given'): string => reason.replace(/ \(after \d+ ms\)$/, '');

function again({ nextMs }: KeyState, nowMs: number): string {
  if (nextMs === undefined) return 'comes up again when something it depends on changes';
  return nextMs > nowMs ? `comes up again in ${durationText(nextMs - nowMs)}` : 'is due now';
}

const failures = (retries: number): string => (retries > 1 ? ` (${retries} failures in a row)` : '');

/** The state that the last pass left for its final one. */
function whereOf(passes: readonly Pass[]): string {
  const steps = passes.findLast(({ outcome }) => outcome === 'failed')?.steps ?? [];
  const step = steps.at(-2);
  if (step === undefined) return '';
  const refused = step.requests.findLast(({ code }) => !/^[123]/.test(code));
  const request =
    refused === undefined
      ? ''
      : `, where ${refused.verb} ${refused.resource} was answered with ${refused.code}`;
  return ` in ${step.state}${request}`;
}

function pending(passes: readonly Pass[]): string {
  const count = passes.at(-1)?.steps.at(-1)?.requests.length ?? 0;
  return count === 0 ? '' : `, after ${count === 1 ? 'one request' : `${count} requests`}`;
}

const said = ({ reason = '', message = '' }: Condition): string => message || reason;

function reasonOf(object: ExplainedObject): string | undefined {
  const { metadata = {}, spec = {} } = object;
  const { finalizers = [] } = metadata;
  if (metadata.deletionTimestamp !== undefined && finalizers.length > 0)
    return `it is being deleted and waits for ${finalizers.join(', ')}`;
  if (spec.suspend === true) return 'it is suspended';
  if (object.kind === 'CertificateSigningRequest') return requestReason(object);
  const unmet = object.status?.conditions?.find(({ status }) => status === 'False');
  return unmet && `its condition ${unmet.type} is False${said(unmet) === '' ? '' : `: ${said(unmet)}`}`;
}

/** A certificate request goes from approved to signed (specification 2, section 2.3). */
function requestReason({ spec = {}, status = {} }: ExplainedObject): string {
  const { conditions = [], certificate } = status;
  const condition = (type: string): Condition | undefined =>
    conditions.find((each) => each.type === type && each.status !== 'False');
  const denied = condition('Denied');
  if (denied) return `it was denied: ${said(denied)}`;
  const broken = condition('Failed');
  if (broken) return `its signer refused it: ${said(broken)}`;
  if (certificate) return 'its certificate was issued';
  if (!condition('Approved')) return 'nobody has approved it yet, and only approved requests are signed';
  return `it is approved, and no controller here signs for ${spec.signerName ?? 'its signer'}`;
}
