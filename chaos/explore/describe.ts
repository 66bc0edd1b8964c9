import type { Check } from '../report/checks.ts';
import type { Bounds, Size } from './estimate.ts';
import type { ControllerExploration, ControllerWalks, Grouped } from './explore-controller.ts';
import type { Violation } from './serving.ts';
import { type TraceStep, describeLines } from './trace.ts';
import type { Walked } from './walks.ts';

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Average memory of one state over all tables in bytes, without the parts that states share. */
const BYTES_OF_STATE = 100;

export const memoryOf = ({ states, characters }: { states: number; characters: number }): number =>
  states * BYTES_OF_STATE + characters * 3;

/** Formats the bounds of a search in one line. */
export const describeBounds = ({ controller, objects, faults, lag, leaders }: Bounds): string =>
  `${controller}: ${count(objects, 'object')}, ${count(faults, 'fault')}, lag ${lag}, ${count(leaders, 'leader')}`;

/** Formats the estimate that is printed before a search. */
export function describeEstimate(expected: Size | undefined): string {
  if (!expected) return 'estimate: none, there is no smaller search to extrapolate from';
  const { states, ms } = expected;
  return `estimate: about ${states} states, ${seconds(ms)}, ${megabytes(memoryOf(expected))}`;
}

/** Returns a check for the search. */
export function explorationChecks(bounds: Bounds, result: ControllerExploration): readonly Check[] {
  const { verdict, states, hash } = result;
  return [
    {
      group: bounds.controller,
      name: `${bounds.controller}/explore`,
      says: `every state keeps every invariant, with ${describeBounds(bounds).replace(/^[^:]*: /, '')}`,
      outcome: ({ pass: 'passed', fail: 'failed', unknown: 'unknown' } as const)[verdict],
      message:
        result.verdict === 'fail'
          ? `${result.violation.invariant}: ${result.violation.how}`
          : result.verdict === 'unknown'
            ? result.because
            : `${states} states, graph ${hash}`,
    },
  ];
}

/** Formats the verdict and the figures of a search; a counterexample includes its trace. */
export function describeExploration(bounds: Bounds, result: ControllerExploration): string {
  const { states, steps, depth, ms, hash, transitions, stretches, vacuous } = result;
  const lines: string[] = [];
  const figures = `${states} states, ${steps} steps, depth ${depth}, graph ${hash}, ${seconds(ms)}, ${megabytes(memoryOf(result))}`;
  switch (result.verdict) {
    case 'pass':
      lines.push(`PASS  ${describeBounds(bounds)}: ${states} states, 0 violations, graph ${hash}`);
      break;
    case 'unknown':
      lines.push(`UNKNOWN  ${describeBounds(bounds)}: ${result.because}; nothing was proved`);
      break;
    case 'fail':
      lines.push(...describeFailure(bounds, result));
  }
  lines.push(
    figures,
    `${transitions} transitions of the machine, ${stretches} segments of effects`,
    `${result.ends} ends with different objects, ${result.faultyEnds} of them reached only through faults`,
  );
  lines.push(...describeGroups(result, 'explored'));
  if (result.verdict === 'pass' && vacuous.length > 0)
    lines.push(`premise never reached: ${vacuous.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

interface Failed {
  readonly violation: Violation;
  readonly trace: readonly TraceStep[];
}

const describeFailure = (bounds: Bounds, { violation, trace }: Failed): readonly string[] => [
  `FAIL  ${describeBounds(bounds)}`,
  `${violation.invariant}: ${violation.how}`,
  '',
  ...describeLines(trace),
  '',
  ...describeBelief(trace),
];

const describeGroups = ({ groups, interplay }: Grouped, how: 'explored' | 'walked'): readonly string[] => {
  if (interplay !== undefined) return [`${how} as a whole: ${interplay}`];
  if (groups < 2) return [];
  // Walks visit only a sample of states, so an access between groups may have been missed.
  const apart = how === 'explored' ? 'none reads or writes' : 'none was seen to read or write';
  return [`${groups} groups of objects, ${how} one by one: ${apart} objects of another`];
};

/** Returns a check for the random walks. */
export function walkChecks(bounds: Bounds, { walks, nearest, because }: Walked): readonly Check[] {
  return [
    {
      group: bounds.controller,
      name: `${bounds.controller}/walks`,
      says: `no walk breaks an invariant, ${describeBounds(bounds)}`,
      outcome: because !== undefined ? 'unknown' : nearest === undefined ? 'passed' : 'failed',
      message: nearest
        ? `${nearest.violation.invariant}: ${nearest.violation.how}`
        : (because ?? `${walks} walks`),
    },
  ];
}

/** Formats the figures of walks and the shortest violation with its trace. */
export function describeWalks(bounds: Bounds, walked: ControllerWalks): string {
  const { walks, steps, looked, ms, broken, nearest, because } = walked;
  const passed =
    because === undefined
      ? `PASS  ${describeBounds(bounds)}: ${walks} walks, 0 violations; nothing was proved`
      : `UNKNOWN  ${describeBounds(bounds)}: ${because}`;
  const lines = nearest ? [...describeFailure(bounds, nearest)] : [passed];
  for (const [invariant, times] of broken)
    lines.push(`${invariant} was broken in ${times} of ${walks} walks`);
  const aMinute = Math.round((walks / ms) * 60_000);
  lines.push(
    `${walks} walks, ${steps} steps, ${looked} states visited, ${seconds(ms)}, ${aMinute} walks a minute`,
    ...describeGroups(walked, 'walked'),
  );
  return `${lines.join('\n')}\n`;
}

/** Returns lines that list the differences between caches and store just before the violation. */
function describeBelief(trace: readonly TraceStep[]): string[] {
  const moment = trace.at(-2)?.world;
  if (!moment) return [];
  const { store, processes } = moment;
  const lines = processes.flatMap(({ views }, node) =>
    views.flatMap(({ objects }) =>
      Object.entries(objects).flatMap(([key, object]) => {
        const { uid, resourceVersion } = object.metadata ?? {};
        const live = Object.entries(store.objects).find(
          ([each, { kind }]) =>
            each.endsWith(` ${key.includes('/') ? key : `/${key}`}`) && kind === object.kind,
        )?.[1];
        if (live?.metadata?.uid === uid && live?.metadata?.resourceVersion === resourceVersion) return [];
        const truth = live ? `it is at ${live.metadata?.resourceVersion ?? ''}` : 'it was deleted';
        return [
          `process ${node + 1} believed ${object.kind ?? ''} ${key} at ${resourceVersion ?? ''}; ${truth}`,
        ];
      }),
    ),
  );
  return lines.length === 0 ? [] : ['before the last step:', ...lines.map((line) => `  ${line}`), ''];
}
