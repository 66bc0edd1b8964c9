import { fromPromise, type PromiseActorLogic } from 'xstate';
import { isRecord } from '../../base/collections/record.ts';

/** What every controller machine gets when a pass starts. */
export interface PassInput {
  readonly key: string;
  /** Retries of this key since it last settled. */
  readonly retries: number;
}

/** What every controller machine gives when it is done; the closed set that queue, log line and metric share. */
export type PassOutput =
  | { readonly outcome: 'settled' }
  /** Look again after a time, for the reason given. */
  | { readonly outcome: 'requeue'; readonly afterMs: number; readonly reason: string }
  /** Retried with backoff. `code`: which of the known failures it is. */
  | { readonly outcome: 'failed'; readonly error: string; readonly code?: string };

export type PassOutcome = PassOutput['outcome'];

/** Nothing is left to do until something watched changes. */
export const settled = (): PassOutput => ({ outcome: 'settled' });

/** Look at the key again `afterMs` from now; `reason` is one short phrase for people. */
export const requeue = (afterMs: number, reason: string): PassOutput => ({
  outcome: 'requeue',
  afterMs: Math.max(0, afterMs),
  reason,
});

/** The pass did not reach its goal; the key is retried with backoff. `error` never holds a secret. */
export const failed = (error: string, code?: string): PassOutput => ({
  outcome: 'failed',
  error,
  ...(code === undefined ? {} : { code }),
});

/** How long one effect may be under way, milliseconds: the delay named `effectTimeout` in every machine's `setup`. */
export const EFFECT_TIMEOUT_MS = 30_000;

/** For `setup({ delays })`; a machine with slower effects declares its own number under the same name. */
export const passDelays = { effectTimeout: EFFECT_TIMEOUT_MS };

/**
 * Promise logic for a name in `setup({ actors })` that the controller provides. Typed by what the effect takes and
 * gives; when run as it is, it throws.
 */
export const unprovided = <Output, Input = void>(name: string): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.reject(new Error(`actor ${name} was not provided`)));

/** The message in an event that ended an effect: that of `xstate.error.actor.*`, and of a time-out `xstate.after.*`. */
export function errorText(event: { readonly type: string; readonly error?: unknown }): string {
  if (event.type.startsWith('xstate.after.'))
    return `timed out in state ${event.type.split('.').slice(4).join('.')}`;
  const { error } = event;
  if (error instanceof Error) return error.message;
  return error === undefined ? `unexpected event ${event.type}` : String(error);
}

/** Whether a machine's output is one of the closed set. */
export function isPassOutput(value: unknown): value is PassOutput {
  if (!isRecord(value)) return false;
  if (value['outcome'] === 'settled') return true;
  if (value['outcome'] === 'failed') return typeof value['error'] === 'string';
  return (
    value['outcome'] === 'requeue' &&
    typeof value['reason'] === 'string' &&
    typeof value['afterMs'] === 'number' &&
    Number.isFinite(value['afterMs']) &&
    value['afterMs'] >= 0
  );
}
