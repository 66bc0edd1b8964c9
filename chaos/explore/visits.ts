import type { FaultKind } from './faults.ts';

/** Parts of a machine that a search reached. A name consists of words joined by spaces. */
export interface Visits {
  readonly states: ReadonlySet<string>;
  /** Transitions as state, event type and target state. */
  readonly transitions: ReadonlySet<string>;
  /** States that send requests; the value is true if they write. */
  readonly asking: ReadonlyMap<string, boolean>;
  /** Faults and the state that sent the affected request. */
  readonly strikes: ReadonlySet<string>;
}

/** Faults that affect a request in flight. They count for the state that sent the request. */
export const requestFaults = ['crash', 'timeout', 'lost', 'conflict', 'error'] as const satisfies FaultKind[];

/** Visits to which parts are added during a search. */
export interface VisitRecord extends Visits {
  state(state: string): void;
  transition(from: string, event: string, to: string): void;
  ask(state: string, isWrite: boolean): void;
  strike(fault: FaultKind, state: string): void;
}

export function createVisits(): VisitRecord {
  const states = new Set<string>();
  const transitions = new Set<string>();
  const asking = new Map<string, boolean>();
  const strikes = new Set<string>();
  return {
    states,
    transitions,
    asking,
    strikes,
    state: (state) => void states.add(state),
    transition: (from, event, to) => void transitions.add(`${from} ${event} ${to}`),
    ask: (state, isWrite) => void asking.set(state, isWrite || (asking.get(state) ?? false)),
    strike: (fault, state) => void strikes.add(`${fault} ${state}`),
  };
}

/** Merges the visits of several searches. */
export function visitsOf(all: readonly Visits[]): Visits {
  const sum = createVisits();
  for (const { states, transitions, asking, strikes } of all) {
    for (const state of states) sum.state(state);
    for (const each of transitions) {
      const [from = '', event = '', to = ''] = each.split(' ');
      sum.transition(from, event, to);
    }
    for (const [state, isWrite] of asking) sum.ask(state, isWrite);
    for (const each of strikes) {
      const [fault, state = ''] = each.split(' ');
      const kind = requestFaults.find((known) => known === fault);
      if (kind) sum.strike(kind, state);
    }
  }
  return sum;
}
