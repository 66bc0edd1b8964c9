import type { Timer } from '../../base/clock/clock.ts';
import { CodedError } from '../../base/errors/coded.ts';
import { type LinkedSignal, linkSignals } from '../client/deadline.ts';
import type { ActorErrorCode } from './actor-table.ts';
import { type Effect, runEffect } from './effects.ts';
import type { FlatEvent, FlatInvocation, FlatMachine, FlatState } from './flat-machine.ts';
import type { MachineRuns, MachineRunsOptions } from './machine-runs.ts';

/**
 * Runs of a flat machine without actors: the same states in the same order, with the same events, at a fraction of the
 * cost. An actor costs more than most effects: a root and a child for each effect, with mailboxes, observers and copies
 * of everything at each step.
 */
export function createFlatRuns<Pass>(
  machine: FlatMachine,
  options: MachineRunsOptions<Pass>,
): MachineRuns<Pass> {
  const runs = new Map<string, FlatRun<Pass>>();
  const stop = (key: string): void => {
    const run = runs.get(key);
    runs.delete(key);
    run?.stop(new CodedError<ActorErrorCode>('ERR_ACTOR_STOPPED', `run ${key} was stopped before its end`));
  };
  return {
    run: (key, input, pass) =>
      new Promise((resolve, reject) => {
        if (runs.has(key))
          throw new CodedError<ActorErrorCode>('ERR_ACTOR_EXISTS', `a run of ${key} is under way already`);
        const run = new FlatRun(machine, options, pass, (end) => {
          if (runs.get(key) === run) runs.delete(key);
          if ('error' in end) reject(end.error);
          else resolve(end.output);
        });
        runs.set(key, run);
        run.start(input);
      }),
    state: (key) => runs.get(key)?.state ?? 'none',
    stop,
    stopAll: () => [...runs.keys()].forEach(stop),
  };
}

type End = { readonly output: unknown } | { readonly error: unknown };

class FlatRun<Pass> {
  readonly #machine: FlatMachine;
  readonly #options: MachineRunsOptions<Pass>;
  readonly #pass: Pass;
  readonly #end: (end: End) => void;
  #context: Readonly<Record<string, unknown>> = {};
  #state: FlatState;
  #timers: Timer[] = [];
  /** One for all effects, as they come one after the other; replaced when one was given up. */
  #abort: LinkedSignal | undefined;
  /** An effect is under way. */
  #waiting = false;
  /** Counts the states that were left: what an earlier one waited for is nobody's any more. */
  #left = 0;
  #over = false;

  constructor(machine: FlatMachine, options: MachineRunsOptions<Pass>, pass: Pass, end: (end: End) => void) {
    this.#machine = machine;
    this.#options = options;
    this.#pass = pass;
    this.#end = end;
    this.#state = machine.initial;
  }

  get state(): string {
    return this.#state.name;
  }

  start(input: object): void {
    this.#orFail(() => {
      this.#context = this.#machine.context(input);
      this.#enter(this.#machine.initial, { type: 'xstate.init', input });
    });
  }

  stop(error: Error): void {
    this.#finish({ error });
  }

  /** What a machine's functions throw ends the run. */
  #orFail(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#finish({ error });
    }
  }

  #finish(end: End): void {
    if (this.#over) return;
    this.#over = true;
    this.#leave();
    this.#end(end);
  }

  /** Goes on through states that decide at once, to one that waits or is final. */
  #enter(first: FlatState, event: FlatEvent): void {
    for (let state: FlatState | undefined = first; state !== undefined;) {
      this.#state = state;
      this.#options.observer.entered?.(this.#pass, state.name, event.type);
      if (state.final) {
        const done = { type: `xstate.done.state.${state.id}`, output: undefined };
        return this.#finish({ output: this.#machine.output(this.#context, done) });
      }
      state = this.#taken(state.always, event);
    }
    this.#wait(this.#state, event);
  }

  /** Takes the first transition that its guard allows, and gives where it leads. */
  #taken(transitions: FlatState['always'], event: FlatEvent): FlatState | undefined {
    const taken = transitions.find(({ allows }) => allows(this.#context, event));
    if (taken === undefined) return undefined;
    for (const assign of taken.assigns) this.#context = { ...this.#context, ...assign(this.#context, event) };
    return this.#machine.state(taken.target);
  }

  #wait({ delays, invocation }: FlatState, event: FlatEvent): void {
    for (const { type, ms } of delays)
      this.#timers.push(
        this.#options.clock.setTimeout(() => this.#receive({ type }), ms(this.#context, event)),
      );
    if (invocation !== undefined) this.#invoke(invocation, invocation.input(this.#context, event));
  }

  #invoke({ id, src, done, failed }: FlatInvocation, input: unknown): void {
    const { effects, observer } = this.#options;
    const { signal } = (this.#abort ??= linkSignals());
    const left = this.#left;
    const answered = (event: FlatEvent): void => {
      if (this.#over || left !== this.#left) return;
      this.#waiting = false;
      this.#receive(event);
    };
    this.#waiting = true;
    void runEffect(src, effects[src] as Effect, input, signal, () =>
      observer.effect(this.#pass, src, signal),
    ).then(
      (output) => answered({ type: done, output, actorId: id }),
      (error: unknown) => answered({ type: failed, error, actorId: id }),
    );
  }

  #receive(event: FlatEvent): void {
    this.#orFail(() => {
      const next = this.#taken(this.#state.on.get(event.type) ?? [], event);
      if (next !== undefined) {
        this.#leave();
        this.#enter(next, event);
      } else if ('error' in event) this.#finish({ error: event['error'] });
    });
  }

  #leave(): void {
    this.#left++;
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
    this.#timers = [];
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#abort?.abort(new Error(`effect of state ${this.#state.name} is no longer wanted`));
    this.#abort = undefined;
  }
}
