import { fromPromise, type PromiseActorLogic } from 'xstate';
import { isRecord } from '../../base/collections/index.ts';

/** Input of a controller machine: the key to reconcile. */
export interface ReconcileInput {
  readonly key: string;
  /** Number of retries of the key since its last success. */
  readonly retries: number;
}

/**
 * Output of a controller machine. The queue, the log line and the metric distinguish exactly these outcomes.
 */
export type ReconcileOutput =
  | { readonly outcome: 'settled' }
  /** The key is reconciled again after `afterMs` milliseconds, for the given reason. */
  | { readonly outcome: 'requeue'; readonly afterMs: number; readonly reason: string }
  /** The key is retried with backoff. `code` identifies a known failure. */
  | { readonly outcome: 'failed'; readonly error: string; readonly code?: string };

/** Name of an outcome. */
export type ReconcileOutcome = ReconcileOutput['outcome'];

/** Returns the output of a reconcile that has nothing left to do until a watched object changes. */
export const settled = (): ReconcileOutput => ({ outcome: 'settled' });

/**
 * Returns the output that reconciles the key again in `afterMs` milliseconds.
 * @param reason one short phrase for logs
 */
export const requeue = (afterMs: number, reason: string): ReconcileOutput => ({
  outcome: 'requeue',
  afterMs: Math.max(0, afterMs),
  reason,
});

/**
 * Returns the output of a failed reconcile, whose key is retried with backoff.
 * @param error message for logs; must not contain a secret
 */
export const failed = (error: string, code?: string): ReconcileOutput => ({
  outcome: 'failed',
  error,
  ...(code === undefined ? {} : { code }),
});

/** Time limit of one effect in milliseconds: the delay `effectTimeout` in every machine's `setup`. */
export const EFFECT_TIMEOUT_MS = 30_000;

/**
 * Delays for `setup({ delays })`. A machine with slower effects declares its own value of `effectTimeout`.
 */
export const reconcileDelays = { effectTimeout: EFFECT_TIMEOUT_MS };

/**
 * Declares promise logic for an actor whose effect the controller provides later, typed by input and output.
 * It rejects if it runs without a provided effect.
 */
export const unprovided = <Output, Input = void>(name: string): PromiseActorLogic<Output, Input> =>
  fromPromise<Output, Input>(() => Promise.reject(new Error(`actor ${name} was not provided`)));

/**
 * Returns the message for the event that ended an effect: an `xstate.error.actor.*` error or an
 * `xstate.after.*` timeout.
 */
export function errorText(event: { readonly type: string; readonly error?: unknown }): string {
  if (event.type.startsWith('xstate.after.'))
    return `timed out in state ${event.type.split('.').slice(4).join('.')}`;
  const { error } = event;
  if (error instanceof Error) return error.message;
  return error === undefined ? `unexpected event ${event.type}` : String(error);
}

/**
 * Returns the output of a reconcile that ended with the failure of an effect. Used by the action `fail` of a
 * machine.
 */
export const failedBy = ({ event }: { readonly event: { readonly type: string } }): ReconcileOutput =>
  failed(errorText(event));

/** True if a value is a valid machine output. */
export function isReconcileOutput(value: unknown): value is ReconcileOutput {
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
