import type { AnyStateMachine } from 'xstate';
import { linkOf, onAbort } from '../../base/async/index.ts';
import { type ReconcileOutput, isReconcileOutput } from '../../machines/reconcile/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { createActorRuns } from '../actors/actor-runs.ts';
import type { Effects } from '../actors/effects.ts';
import { toFlat } from '../actors/flat-machine.ts';
import { createFlatRuns } from '../actors/flat-runs.ts';
import type { MachineRunsOptions, RunObserver } from '../actors/machine-runs.ts';
import type { Journal } from '../journal/journal.ts';
import { attributeRequests } from '../journal/requests.ts';

/**
 * Codes of failures outside the machine: an effect whose error the machine does not handle, an invalid
 * output, an exceeded time limit, an abort.
 */
export type ReconcileErrorCode =
  'ERR_RECONCILE_ACTOR' | 'ERR_RECONCILE_OUTPUT' | 'ERR_RECONCILE_TIMEOUT' | 'ERR_RECONCILE_ABORTED';

/** Options of `createReconciler`. */
export interface ReconcilerOptions {
  readonly controller: string;
  readonly machine: AnyStateMachine;
  readonly effects: Effects;
  /** Time limit of one reconcile in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly journal: Journal;
}

/** One reconcile to run. */
export interface ReconcileRequest {
  readonly key: string;
  readonly reconcileId: string;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Called before each effect; throws if the reconcile may not start further effects. */
  readonly check: () => void;
}

/** Result of a reconcile. A failure outside the machine has a `ReconcileErrorCode` in `code`. */
export type ReconcileResult = ReconcileOutput;

/** Runner of reconciles of one controller, each with a new run of the machine. `run` never rejects. */
export interface Reconciler {
  run(request: ReconcileRequest): Promise<ReconcileResult>;
  stopAll(): void;
}

interface Journalled {
  readonly reconcileId: string;
  readonly key: string;
  readonly check: () => void;
}

/** Creates the runner of a controller's reconciles. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { controller, machine, clock, journal, timeoutMs } = options;
  const begin = ({ key, reconcileId, check }: Journalled, state: string, signal: AbortSignal) => {
    check();
    if (!journal.enabled) return undefined;
    const startedMs = clock.monotonic();
    attributeRequests(signal, { controller, key, reconcileId, state });
    journal.record({ kind: 'effect.started', state, controller, key, reconcileId });
    return (thrown: unknown): void => {
      const ms = clock.monotonic() - startedMs;
      if (thrown === undefined)
        journal.record({ kind: 'effect.done', state, ms, controller, key, reconcileId });
      else
        journal.record({
          kind: 'effect.failed',
          state,
          ms,
          error: messageOf(thrown),
          controller,
          key,
          reconcileId,
        });
    };
  };
  const observer: RunObserver<Journalled> = {
    effect: begin,
    ...(journal.enabled
      ? {
          entered: ({ key, reconcileId }, state, event) =>
            journal.record({ kind: 'state', state, event, controller, key, reconcileId }),
        }
      : {}),
  };
  const { effects, log } = options;
  const flat = toFlat(machine, effects);
  const runsOptions: MachineRunsOptions<Journalled> = { effects, clock, log, observer };
  const runs = flat === undefined ? createActorRuns(machine, runsOptions) : createFlatRuns(flat, runsOptions);

  /**
   * Stops the machine and rejects at the time limit or when the signal aborts. Returns a function that
   * releases both.
   */
  const guard = ({ key, signal }: ReconcileRequest, reject: (cause: Error) => void): (() => void) => {
    const end = (code: ReconcileErrorCode, message: string): void => {
      reject(new CodedError(code, `${message} in state ${runs.state(key)}`));
      runs.stop(key);
    };
    const timer: Timer = clock.setTimeout(
      () => end('ERR_RECONCILE_TIMEOUT', `reconcile took longer than ${timeoutMs} ms`),
      timeoutMs,
    );
    const release = onAbort(signal, () =>
      end('ERR_RECONCILE_ABORTED', `reconcile aborted (${messageOf(signal.reason)})`),
    );
    return () => {
      clock.clearTimeout(timer);
      release();
    };
  };

  const runMachine = async (request: ReconcileRequest): Promise<ReconcileOutput> => {
    const { key, retries, reconcileId, check } = request;
    let release: (() => void) | undefined;
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        release = guard(request, reject);
        runs.run(key, { key, retries }, { key, reconcileId, check }).then(resolve, reject);
      });
      if (isReconcileOutput(output)) return output;
      throw new CodedError(
        'ERR_RECONCILE_OUTPUT',
        `machine ${controller} returned an invalid output: expected one created by settled, requeue or failed`,
      );
    } finally {
      release?.();
    }
  };

  return {
    async run(request) {
      if (linkOf(request.signal).aborted)
        return failure('ERR_RECONCILE_ABORTED', 'reconcile aborted before its start');
      try {
        return await runMachine(request);
      } catch (thrown) {
        return thrown instanceof CodedError && isReconcileErrorCode(thrown.code)
          ? failure(thrown.code, thrown.message)
          : failure('ERR_RECONCILE_ACTOR', messageOf(thrown));
      }
    },
    stopAll: () => runs.stopAll(),
  };
}

const failure = (code: ReconcileErrorCode, error: string): ReconcileResult => ({
  outcome: 'failed',
  error,
  code,
});

const isReconcileErrorCode = (code: string): code is ReconcileErrorCode => code.startsWith('ERR_RECONCILE_');
