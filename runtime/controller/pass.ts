import type { ActorSystem, AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import { isPassOutput, type PassOutput } from '../../machines/pass/pass.ts';
import type { Clock, Timer } from '../../base/clock/clock.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';
import type { Logger } from '../../base/log/logger.ts';
import { ActorTable } from '../actors/actor-table.ts';
import { toActors, type EffectTap, type Effects } from '../actors/effects.ts';
import type { Journal, JournalEvent } from '../journal/journal.ts';
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

/** How a pass ended; `code` says which guard ended one that its machine did not. */
export type PassResult = PassOutput & { readonly code?: PassErrorCode };

/** Runs passes of one controller: a fresh root actor of its machine for each. `run` never rejects. */
export interface Passes {
  run(request: PassRequest): Promise<PassResult>;
  stopAll(): void;
}

/** `{ signing: 'loading' }` as `signing.loading`; parallel regions side by side with commas. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([state, inner]) => {
      const below = stateName(inner);
      return below === '' ? state : `${state}.${below}`;
    })
    .join(',');
}

interface Journalled {
  readonly passId: string;
  readonly key: string;
  readonly check: () => void;
  state: string;
}

export function createPasses(options: PassesOptions): Passes {
  const { controller, clock, journal, timeoutMs } = options;
  const passes = new WeakMap<object, Journalled>();
  const record = (pass: Journalled, event: Omit<JournalEvent, 'controller' | 'key' | 'passId'>): void =>
    journal.record({ ...event, controller, key: pass.key, passId: pass.passId });

  const tap: EffectTap = (system: ActorSystem<never>, state, signal) => {
    const pass = passes.get(system);
    if (pass === undefined) return () => {};
    pass.check();
    if (!journal.enabled) return () => {};
    const startedMs = clock.monotonic();
    attributeRequests(signal, { controller, key: pass.key, passId: pass.passId, state });
    record(pass, { kind: 'effect.started', state });
    return (thrown) => {
      const ms = clock.monotonic() - startedMs;
      if (thrown === undefined) record(pass, { kind: 'effect.done', state, ms });
      else record(pass, { kind: 'effect.failed', state, ms, error: messageOf(thrown) });
    };
  };
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep' && event.type !== '@xstate.snapshot') return;
    const pass = passes.get((event.actorRef as AnyActorRef).system);
    if (pass === undefined || event.actorRef.sessionId !== event.rootId) return;
    const state = stateName((event.snapshot as { value?: unknown }).value);
    if (state === pass.state) return;
    pass.state = state;
    record(pass, { kind: 'state', state, event: event.event.type });
  };
  const machine = options.machine.provide({
    actors: toActors(options.effects, tap),
  });
  const table = new ActorTable({ clock, log: options.log, ...(journal.enabled ? { inspect } : {}) });

  /** Ends the pass from outside: `reject` with the reason, after its actor is stopped. */
  const guard = ({ key, signal }: PassRequest, reject: (cause: Error) => void): (() => void) => {
    const end = (code: PassErrorCode, message: string): void => {
      const actor = table.get(key);
      const state = stateName((actor?.getSnapshot() as { value?: unknown } | undefined)?.value ?? 'none');
      reject(new CodedError(code, `${message} in state ${state}`));
      table.stop(key);
    };
    const onAbort = (): void => end('ERR_PASS_ABORTED', `pass aborted (${messageOf(signal.reason)})`);
    const timer: Timer = clock.setTimeout(
      () => end('ERR_PASS_TIMEOUT', `pass took longer than ${timeoutMs} ms`),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    return () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  };

  const runActor = async (request: PassRequest): Promise<PassOutput> => {
    const { key, retries, passId, check } = request;
    let release: (() => void) | undefined;
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        release = guard(request, reject);
        table
          .run(key, machine, { key, retries }, ({ system }) =>
            passes.set(system, { key, passId, check, state: '' }),
          )
          .then(resolve, reject);
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
      if (request.signal.aborted) return failure('ERR_PASS_ABORTED', 'pass aborted before its start');
      try {
        return await runActor(request);
      } catch (thrown) {
        return thrown instanceof CodedError && isPassErrorCode(thrown.code)
          ? failure(thrown.code, thrown.message)
          : failure('ERR_PASS_ACTOR', messageOf(thrown));
      }
    },
    stopAll: () => table.stopAll(),
  };
}

const failure = (code: PassErrorCode, error: string): PassResult => ({ outcome: 'failed', error, code });

const isPassErrorCode = (code: string): code is PassErrorCode => code.startsWith('ERR_PASS_');
