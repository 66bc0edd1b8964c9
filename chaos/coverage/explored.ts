import { type Visits, requestFaults } from '../explore/visits.ts';
import { type MachineParts, isTransition } from './machine-parts.ts';

/** Coverage of a controller's machine by searches of the explorer. */
export interface ExploredMachine {
  readonly controller: string;
  readonly states: Share;
  /** Transitions between different states, without failures and timeouts of states that send no request. */
  readonly transitions: Share;
  /** Pairs of a fault and a state whose request the fault can affect. */
  readonly strikes: Share;
}

export interface Share {
  readonly of: number;
  readonly missing: readonly string[];
}

/** Returns the coverage of a machine by the visits of searches. */
export function exploredOf(
  { controller, states, transitions }: MachineParts,
  visits: Visits,
): ExploredMachine {
  const taken = [...visits.transitions].map((each) => {
    const [from = '', event = '', to = ''] = each.split(' ');
    return { from, event, to };
  });
  const mayCome = transitions.filter(
    ({ from, on }) => !isFailure(on) || visits.asking.has(from) || !visits.states.has(from),
  );
  const pairs = [...visits.asking].flatMap(([state, isWrite]) =>
    requestFaults
      .filter((fault) => isWrite || (fault !== 'lost' && fault !== 'conflict'))
      .map((fault) => `${fault} ${state}`),
  );
  return {
    controller,
    states: shareOf(
      states,
      (state) => state,
      (state) => visits.states.has(state),
    ),
    transitions: shareOf(
      mayCome,
      ({ from, on, to }) => `${from} → ${to} (${on})`,
      (transition) => taken.some((each) => isTransition(transition, each)),
    ),
    strikes: shareOf(
      pairs,
      (pair) => pair.replace(' ', ' × '),
      (pair) => visits.strikes.has(pair),
    ),
  };
}

const isFailure = (on: string): boolean => on.startsWith('error(') || on.startsWith('after ');

const shareOf = <T>(all: readonly T[], name: (each: T) => string, isSeen: (each: T) => boolean): Share => ({
  of: all.length,
  missing: all.filter((each) => !isSeen(each)).map(name),
});

const parts = ['states', 'transitions', 'strikes'] as const;
const said = { states: 'states', transitions: 'transitions', strikes: 'pairs of a fault and a state' };

/** Formats a line for each machine with its gaps, and a line with the total. */
export function describeExplored(machines: readonly ExploredMachine[]): string {
  const figures = (shares: readonly Share[]): string => {
    const of = shares.reduce((sum, share) => sum + share.of, 0);
    return `${of - shares.reduce((sum, { missing }) => sum + missing.length, 0)} of ${of}`;
  };
  const line = (name: string, some: readonly ExploredMachine[]): string =>
    `${name.padEnd(38)} ${parts.map((part) => `${figures(some.map((each) => each[part]))} ${said[part]}`).join(', ')}\n`;
  return [
    ...machines.flatMap((each) => [
      line(each.controller, [each]),
      ...parts.flatMap((part) => each[part].missing.map((hole) => `  never: ${hole}\n`)),
    ]),
    line('all', machines),
  ].join('');
}
