import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  getInitialMicrosteps,
  getMicrosteps,
  initialTransition,
  transition,
} from 'xstate';
import { createNumbers } from './text.ts';
import type { VisitRecord } from './visits.ts';
import { type ReconcileOutput, isReconcileOutput } from '../../machines/reconcile/index.ts';

/** State of a reconcile's machine, as plain JSON. */
export interface MachineState {
  /** Name of the state in the machine. */
  readonly state: string;
  readonly context: unknown;
  /** Effect that the state invokes; undefined in a final state. */
  readonly invoke?: {
    readonly id: string;
    readonly effect: string;
    readonly input: unknown;
    /** Type of the event that ends the wait on timeout. */
    readonly timeout: string;
  };
  /** Output; undefined unless the state is final. */
  readonly output?: ReconcileOutput;
}

export type EffectEnd = { readonly output: unknown } | { readonly error: string } | 'timeout';

/** Transitions of one machine. Each is computed once. */
export interface MachineTable {
  start(key: string): MachineState;
  next(from: MachineState, end: EffectEnd): MachineState;
  /** Number of different transitions. */
  readonly size: number;
}

export function createMachineTable(machine: AnyStateMachine, visits: VisitRecord): MachineTable {
  const numbers = createNumbers();
  const known = new Map<string, MachineState>();
  const memoised = (key: string, compute: () => MachineState): MachineState => {
    let found = known.get(key);
    if (!found) known.set(key, (found = compute()));
    return found;
  };
  const note = (
    from: string | undefined,
    event: string,
    steps: readonly (readonly [AnyMachineSnapshot, ...unknown[]])[],
  ): void => {
    let before = from;
    for (const [snapshot] of steps) {
      const state = String(snapshot.value);
      visits.state(state);
      if (before !== undefined) visits.transition(before, event, state);
      before = state;
    }
  };
  return {
    start: (key) =>
      memoised(`start ${key}`, () => {
        const input = { key, retries: 0 };
        note(undefined, '', getInitialMicrosteps(machine, input));
        return toState(...initialTransition(machine, input));
      }),
    next: (from, end) =>
      memoised(`${numbers(from)} ${numbers(end)}`, () => {
        const snapshot = machine.resolveState({ value: from.state, context: from.context } as never);
        const event = eventOf(from, end);
        note(from.state, event.type, getMicrosteps(machine, snapshot, event as never));
        return toState(...transition(machine, snapshot, event as never));
      }),
    get size() {
      return known.size;
    },
  };
}

function eventOf({ invoke }: MachineState, end: EffectEnd): AnyEventObject {
  const { id = '', timeout = '' } = invoke ?? {};
  if (end === 'timeout') return { type: timeout };
  return 'error' in end
    ? { type: `xstate.error.actor.${id}`, error: new Error(end.error), actorId: id }
    : { type: `xstate.done.actor.${id}`, output: end.output, actorId: id };
}

interface Spawn {
  readonly type: string;
  readonly params?: {
    readonly id?: string | undefined;
    readonly src?: unknown;
    readonly input?: unknown;
    readonly event?: { readonly type: string };
  };
}

function toState(snapshot: AnyMachineSnapshot, actions: readonly Spawn[]): MachineState {
  const state = String(snapshot.value);
  if (snapshot.status === 'error') throw snapshot.error;
  if (snapshot.status === 'done') {
    const output: unknown = snapshot.output;
    if (!isReconcileOutput(output)) throw new Error(`the machine ended in ${state} without an outcome`);
    return { state, context: null, output };
  }
  const spawned = actions.findLast(({ type }) => type === 'xstate.spawnChild')?.params;
  if (!spawned) throw new Error(`state ${state} waits for no effect`);
  const delayed = actions.findLast(({ type }) => type === 'xstate.raise')?.params;
  return {
    state,
    context: JSON.parse(JSON.stringify(snapshot.context)) as unknown,
    invoke: {
      id: spawned.id ?? '',
      effect: String(spawned.src),
      input: JSON.parse(JSON.stringify(spawned.input ?? null)) as unknown,
      timeout: delayed?.event?.type ?? '',
    },
  };
}
