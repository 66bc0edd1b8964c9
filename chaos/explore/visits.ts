import type { FaultKind } from './faults.ts';

/** What a search came by of the controller's machine; names without spaces, joined by one. */
export interface Visits {
  readonly states: ReadonlySet<string>;
  /** The state, the event's type, the state it led to. */
  readonly transitions: ReadonlySet<string>;
  /** States that ask the API something, and whether that is ever a write. */
  readonly asking: ReadonlyMap<string, boolean>;
  /** A fault, and the state whose request it struck. */
  readonly strikes: ReadonlySet<string>;
}

/** Faults that strike a request, and so the state that has made it. */
export const strikingKinds = ['crash', 'timeout', 'lost', 'conflict', 'error'] as const satisfies FaultKind[];

/** Takes them down. */
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

/** What several searches came by together. */
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
      const kind = strikingKinds.find((known) => known === fault);
      if (kind) sum.strike(kind, state);
    }
  }
  return sum;
}
