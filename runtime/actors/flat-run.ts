import type { Timer } from '../../base/clock/clock.ts';
import { type LinkedSignal, linkSignals } from '../client/deadline.ts';
import { type Effect, runEffect } from './effects.ts';
import type { FlatEvent, FlatInvocation, FlatMachine, FlatState, FlatTransition } from './flat-machine.ts';
import type { MachineRunsOptions } from './machine-runs.ts';

export interface FlatRunOptions<Pass> extends Pick<
  MachineRunsOptions<Pass>,
  'effects' | 'clock' | 'observer'
> {
  /** By the name of a delay of the machine: what becomes of the milliseconds that it asks for. */
  readonly waits?: { readonly [delay: string]: (ms: number) => number };
}

export type End = { readonly output: unknown } | { readonly error: unknown };

/**
 * One run of a flat machine, from its initial state to a final one, or until it is stopped. `end` hears once how it has
 * ended: with the output, or with what a function of the machine has thrown or the machine did not handle.
 */
export class FlatRun<Pass> {
  readonly #machine: FlatMachine;
  readonly #options: FlatRunOptions<Pass>;
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
  #stepping = false;
  /** What came while it was about a step. */
  readonly #sent: FlatEvent[] = [];

  constructor(machine: FlatMachine, options: FlatRunOptions<Pass>, pass: Pass, end: (end: End) => void) {
    this.#machine = machine;
    this.#options = options;
    this.#pass = pass;
    this.#end = end;
    this.#state = machine.initial;
  }

  get state(): FlatState {
    return this.#state;
  }

  /** Empty before `start`. */
  get context(): Readonly<Record<string, unknown>> {
    return this.#context;
  }

  start(input: object): void {
    this.#step(() => {
      this.#context = this.#machine.context(input);
      this.#enter(this.#machine.initial, { type: 'xstate.init', input });
    });
  }

  /** What somebody else has to say; nothing comes of it in a state that does not hear of such. */
  send(event: { readonly type: string }): void {
    // Whatever else it tells, the machine's functions look for.
    const sent = event as FlatEvent;
    if (this.#stepping) this.#sent.push(sent);
    else if (!this.#over) this.#step(() => this.#receive(sent));
  }

  stop(error: Error): void {
    this.#finish({ error });
  }

  /** What a machine's functions throw ends the run. */
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

  /** Goes on through states that decide at once, to one that waits or is final. */
  #enter(first: FlatState, event: FlatEvent): void {
    for (let state: FlatState | undefined = first; state !== undefined;) {
      this.#state = state;
      this.#options.observer.entered?.(this.#pass, state.name, event.type);
      // Whoever is told may have stopped it.
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

  /** The first transition that its guard allows, taken. */
  #take(transitions: readonly FlatTransition[], event: FlatEvent): FlatTransition | undefined {
    const taken = transitions.find(({ allows }) => allows(this.#context, event));
    if (taken === undefined) return undefined;
    for (const assign of taken.assigns) this.#context = { ...this.#context, ...assign(this.#context, event) };
    return taken;
  }

  #wait({ delays, invocation }: FlatState, event: FlatEvent): void {
    const { clock, waits } = this.#options;
    for (const { type, name, ms } of delays) {
      const asked = ms(this.#context, event);
      const timer = clock.setTimeout(
        () => this.#step(() => this.#receive({ type })),
        waits?.[name]?.(asked) ?? asked,
      );
      this.#timers.push(timer);
    }
    if (invocation !== undefined) this.#invoke(invocation, invocation.input(this.#context, event));
  }

  #invoke({ id, src, done, failed }: FlatInvocation, input: unknown): void {
    const { effects, observer } = this.#options;
    const { signal } = (this.#abort ??= linkSignals());
    const left = this.#left;
    const answered = (event: FlatEvent): void => {
      if (this.#over || left !== this.#left) return;
      this.#waiting = false;
      this.#step(() => {
        if (!this.#receive(event) && event.type === failed) this.#finish({ error: event['error'] });
      });
    };
    this.#waiting = true;
    void runEffect(src, effects[src] as Effect, input, signal, () =>
      observer.effect(this.#pass, src, signal),
    ).then(
      (output) => answered({ type: done, output, actorId: id }),
      (error: unknown) => answered({ type: failed, error, actorId: id }),
    );
  }

  /** Whether its state heeds such an event. */
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
    this.#abort?.abort(new Error(`effect of state ${this.#state.name} is no longer wanted`));
    this.#abort = undefined;
  }
}

const NONE: readonly FlatTransition[] = [];
