import { type LinkedSignal, linkSignals } from '../../base/async/index.ts';
import type { Timer } from '../../base/clock/index.ts';
import { type Effect, runEffect } from './effects.ts';
import type { FlatEvent, FlatInvocation, FlatMachine, FlatState, FlatTransition } from './flat-machine.ts';
import type { MachineRunsOptions } from './machine-runs.ts';

/** Options of a `FlatRun`. */
export interface FlatRunOptions<RunId> extends Pick<
  MachineRunsOptions<RunId>,
  'effects' | 'clock' | 'observer'
> {
  /**
   * Functions by the name of a delay that map the machine's delay to the actual one, both in milliseconds.
   */
  readonly waits?: { readonly [delay: string]: (ms: number) => number };
}

/** The result of a run. */
export type End = { readonly output: unknown } | { readonly error: unknown };

/**
 * One run of a flat machine, from its initial state until a final state or `stop`.
 * @param end called once: with the output, or with the error that a function of the machine threw or that the
 * machine did not handle
 */
export class FlatRun<RunId> {
  readonly #machine: FlatMachine;
  readonly #options: FlatRunOptions<RunId>;
  readonly #runId: RunId;
  readonly #end: (end: End) => void;
  #context: Readonly<Record<string, unknown>> = {};
  #state: FlatState;
  #timers: Timer[] = [];
  /** Abort signal shared by consecutive effects; replaced after an effect was aborted. */
  #abort: LinkedSignal | undefined;
  /** True while an effect runs. */
  #waiting = false;
  /**
   * Number of exited states. The result of an effect is ignored if this number has changed since its start.
   */
  #left = 0;
  #over = false;
  #stepping = false;
  /** Events received during a step, handled after it. */
  readonly #sent: FlatEvent[] = [];

  constructor(machine: FlatMachine, options: FlatRunOptions<RunId>, runId: RunId, end: (end: End) => void) {
    this.#machine = machine;
    this.#options = options;
    this.#runId = runId;
    this.#end = end;
    this.#state = machine.initial;
  }

  get state(): FlatState {
    return this.#state;
  }

  /** The machine's context; empty before `start`. */
  get context(): Readonly<Record<string, unknown>> {
    return this.#context;
  }

  start(input: object): void {
    this.#step(() => {
      this.#context = this.#machine.context(input);
      this.#enter(this.#machine.initial, { type: 'xstate.init', input });
    });
  }

  /** Sends an event. The event is ignored if the current state does not handle it. */
  send(event: { readonly type: string }): void {
    // The machine's functions read the other fields of the event.
    const sent = event as FlatEvent;
    if (this.#stepping) this.#sent.push(sent);
    else if (!this.#over) this.#step(() => this.#receive(sent));
  }

  stop(error: Error): void {
    this.#finish({ error });
  }

  /** Runs one step; an error thrown by a function of the machine ends the run. */
  #step(step: () => void): void {
    this.#stepping = true;
    try {
      step();
    } catch (error) {
      this.#finish({ error });
    } finally {
      this.#stepping = false;
    }
    const sent = this.#sent.shift();
    if (sent !== undefined) this.send(sent);
  }

  #finish(end: End): void {
    if (this.#over) return;
    this.#over = true;
    this.#leave();
    this.#end(end);
  }

  /** Enters a state and follows `always` transitions until a state waits or is final. */
  #enter(first: FlatState, event: FlatEvent): void {
    for (let state: FlatState | undefined = first; state !== undefined;) {
      this.#state = state;
      this.#options.observer.entered?.(this.#runId, state.name, event.type);
      // The observer may have stopped the run.
      if (this.#over) return;
      if (state.final) {
        const done = { type: `xstate.done.state.${state.id}`, output: undefined };
        return this.#finish({ output: this.#machine.output(this.#context, done) });
      }
      const taken = this.#take(state.always, event);
      state = taken?.target === undefined ? undefined : this.#machine.state(taken.target);
    }
    this.#wait(this.#state, event);
  }

  /** Takes the first transition whose guard allows it, and applies its assignments. */
  #take(transitions: readonly FlatTransition[], event: FlatEvent): FlatTransition | undefined {
    const taken = transitions.find(({ allows }) => allows(this.#context, event));
    if (taken === undefined) return undefined;
    for (const assign of taken.assigns) this.#context = { ...this.#context, ...assign(this.#context, event) };
    return taken;
  }

  #wait({ delays, invocation }: FlatState, event: FlatEvent): void {
    const { clock, waits } = this.#options;
    for (const { type, name, ms } of delays) {
      const requestedMs = ms(this.#context, event);
      const timer = clock.setTimeout(
        () => this.#step(() => this.#receive({ type })),
        waits?.[name]?.(requestedMs) ?? requestedMs,
      );
      this.#timers.push(timer);
    }
    if (invocation !== undefined) this.#invoke(invocation, invocation.input(this.#context, event));
  }

  #invoke({ id, src, done, failed }: FlatInvocation, input: unknown): void {
    const { effects, observer } = this.#options;
    const { signal } = (this.#abort ??= linkSignals());
    const left = this.#left;
    const finished = (event: FlatEvent): void => {
      if (this.#over || left !== this.#left) return;
      this.#waiting = false;
      this.#step(() => {
        if (!this.#receive(event) && event.type === failed) this.#finish({ error: event['error'] });
      });
    };
    this.#waiting = true;
    void runEffect(src, effects[src] as Effect, input, signal, () =>
      observer.effect(this.#runId, src, signal),
    ).then(
      (output) => finished({ type: done, output, actorId: id }),
      (error: unknown) => finished({ type: failed, error, actorId: id }),
    );
  }

  /** Handles an event. Returns false if the state has no transition for it. */
  #receive(event: FlatEvent): boolean {
    const taken = this.#take(this.#state.on.get(event.type) ?? NONE, event);
    if (taken === undefined) return false;
    if (taken.target === undefined) return true;
    this.#leave();
    this.#enter(this.#machine.state(taken.target), event);
    return true;
  }

  #leave(): void {
    this.#left++;
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
    this.#timers = [];
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#abort?.abort(new Error(`effect of state ${this.#state.name} is no longer needed`));
    this.#abort = undefined;
  }
}

const NONE: readonly FlatTransition[] = [];
