import type { AnyStateMachine } from 'xstate';
import { isPassOutput, type PassOutput } from '../../machines/pass/pass.ts';
import type { Clock, Timer } from '../../base/clock/clock.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';
import type { Logger } from '../../base/log/logger.ts';
import { createActorRuns } from '../actors/actor-runs.ts';
import { linkOf, onAbort } from '../client/deadline.ts';
import type { Effects } from '../actors/effects.ts';
import { toFlat } from '../actors/flat-machine.ts';
import { createFlatRuns } from '../actors/flat-runs.ts';
import type { MachineRunsOptions, RunObserver } from '../actors/machine-runs.ts';
import type { Journal } from '../journal/journal.ts';
import { attributeRequests } from '../journal/requests.ts';

export type PassErrorCode = 'ERR_PASS_ACTOR' | 'ERR_PASS_OUTPUT' | 'ERR_PASS_TIMEOUT' | 'ERR_PASS_ABORTED';

export interface PassesOptions {
  readonly controller: string;
  readonly machine: AnyStateMachine;
  readonly effects: Effects;
  /** Milliseconds after which a pass is given up. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly journal: Journal;
}

export interface PassRequest {
  readonly key: string;
  readonly passId: string;
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Throws when the pass may no longer act; asked before each effect. */
  readonly check: () => void;
}

/** How a reconcile ended; the `code` of a failed one that its machine did not end is a `PassErrorCode`. */
export type PassResult = PassOutput;

/** Runs passes of one controller: a fresh run of its machine for each. `run` never rejects. */
export interface Passes {
  run(request: PassRequest): Promise<PassResult>;
  stopAll(): void;
}

interface Journalled {
  readonly passId: string;
  readonly key: string;
  readonly check: () => void;
}

export function createPasses(options: PassesOptions): Passes {
  const { controller, machine, clock, journal, timeoutMs } = options;
  const begin = ({ key, passId, check }: Journalled, state: string, signal: AbortSignal) => {
    check();
    if (!journal.enabled) return undefined;
    const startedMs = clock.monotonic();
    attributeRequests(signal, { controller, key, passId, state });
    journal.record({ kind: 'effect.started', state, controller, key, passId });
    return (thrown: unknown): void => {
      const ms = clock.monotonic() - startedMs;
      if (thrown === undefined) journal.record({ kind: 'effect.done', state, ms, controller, key, passId });
      else
        journal.record({
          kind: 'effect.failed',
          state,
          ms,
          error: messageOf(thrown),
          controller,
          key,
          passId,
        });
    };
  };
  const observer: RunObserver<Journalled> = {
    effect: begin,
    ...(journal.enabled
      ? {
          entered: ({ key, passId }, state, event) =>
            journal.record({ kind: 'state', state, event, controller, key, passId }),
        }
      : {}),
  };
  const { effects, log } = options;
  const flat = toFlat(machine, effects);
  const runsOptions: MachineRunsOptions<Journalled> = { effects, clock, log, observer };
  const runs = flat === undefined ? createActorRuns(machine, runsOptions) : createFlatRuns(flat, runsOptions);

  /** Ends the pass from outside: `reject` with the reason, after its run is stopped. */
  const guard = ({ key, signal }: PassRequest, reject: (cause: Error) => void): (() => void) => {
    const end = (code: PassErrorCode, message: string): void => {
      reject(new CodedError(code, `${message} in state ${runs.state(key)}`));
      runs.stop(key);
    };
    const timer: Timer = clock.setTimeout(
      () => end('ERR_PASS_TIMEOUT', `pass took longer than ${timeoutMs} ms`),
      timeoutMs,
    );
    const release = onAbort(signal, () =>
      end('ERR_PASS_ABORTED', `pass aborted (${messageOf(signal.reason)})`),
    );
    return () => {
      clock.clearTimeout(timer);
      release();
    };
  };

  const runMachine = async (request: PassRequest): Promise<PassOutput> => {
    const { key, retries, passId, check } = request;
    let release: (() => void) | undefined;
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        release = guard(request, reject);
        runs.run(key, { key, retries }, { key, passId, check }).then(resolve, reject);
      });
      if (isPassOutput(output)) return output;
      throw new CodedError(
        'ERR_PASS_OUTPUT',
        `machine ${controller} ended with an output that is no pass output: expected one made by settled, requeue or failed`,
      );
    } finally {
      release?.();
    }
  };

  return {
    async run(request) {
      if (linkOf(request.signal).aborted) return failure('ERR_PASS_ABORTED', 'pass aborted before its start');
      try {
        return await runMachine(request);
      } catch (thrown) {
        return thrown instanceof CodedError && isPassErrorCode(thrown.code)
          ? failure(thrown.code, thrown.message)
          : failure('ERR_PASS_ACTOR', messageOf(thrown));
      }
    },
    stopAll: () => runs.stopAll(),
  };
}

const failure = (code: PassErrorCode, error: string): PassResult => ({ outcome: 'failed', error, code });

const isPassErrorCode = (code: string): code is PassErrorCode => code.startsWith('ERR_PASS_');
