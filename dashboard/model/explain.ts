import type { KeyState } from './controller-model.ts';
import { durationText } from './durations.ts';
import type { Pass } from './passes.ts';
import { type ExplainedObject, reasonOf } from './reasons.ts';

/** What an explanation is made of. */
export interface Explained {
  readonly key: string;
  readonly state?: KeyState | undefined;
  /** Oldest first. */
  readonly passes: readonly Pass[];
  /** The object the key names, where it is known; `gone` where there is none. */
  readonly object?: ExplainedObject | 'gone' | undefined;
  readonly nowMs: number;
}

/** Why a key is in its state, in one sentence for people. */
export function explain({ key, state, passes, object, nowMs }: Explained): string {
  const because = whyOf(object);
  const also = because === undefined ? '' : `; ${because}`;
  if (state === undefined) return `No pass over ${key} is in the journal${also}.`;
  if (state.passId !== undefined)
    return `${key} has been in ${state.state || 'a pass'} for ${durationText(nowMs - state.sinceMs)}${pending(passes)}.`;
  switch (state.outcome) {
    case 'failed':
      return `The last pass over ${key} failed${whereOf(passes)}: ${state.error ?? 'no reason was given'}; ${again(state, nowMs)}${failures(state.retries)}${also}.`;
    case 'requeue':
      return `${key} waits (${withoutDelay(state.reason)}) and ${again(state, nowMs)}${also}.`;
    default:
      return `${key} is settled: ${because ?? 'nothing is left to do until something it depends on changes'}.`;
  }
}

function whyOf(object: Explained['object']): string | undefined {
  if (object === 'gone') return 'the object is not there any more';
  return object && reasonOf(object);
}

/** The journal's reasons end with the delay; people are told the time. */
export const withoutDelay = (reason = 'no reason was given'): string =>
  reason.replace(/ \(after \d+ ms\)$/, '');

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
