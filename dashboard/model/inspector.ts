import type { AnyStateMachine } from 'xstate';
import type { JournalEntry } from '../../runtime/journal/index.ts';
import { type Chart, type ChartState, activeLeaves } from '../chart/chart.ts';
import { describeMachine } from '../chart/describe.ts';

/** An event as `@statelyai/inspect` sends it over any of its adapters. */
export type InspectorEvent = Readonly<Record<string, unknown>> & {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
};

/** Of `@statelyai/inspect`, whose events these are like. */
const VERSION = '0.7.2';

/** What an inspector is told of a pass that is under way. */
interface Told {
  readonly chart: Chart | undefined;
  value: unknown;
}

/**
 * Turns journal entries, in their order, into what an inspector takes. A pass is an actor of its own, and is introduced by
 * the first of its entries that comes; its context is not in the journal.
 */
export function createInspectorFeed(
  machineOf: (controller: string) => AnyStateMachine | undefined,
): (entry: JournalEntry) => readonly InspectorEvent[] {
  const passes = new Map<string, Told>();
  const charts = new Map<string, Chart | undefined>();
  const chartOf = (controller: string): Chart | undefined => {
    if (!charts.has(controller)) {
      const machine = machineOf(controller);
      charts.set(controller, machine && describeMachine(machine));
    }
    return charts.get(controller);
  };

  return (entry) => {
    const { passId, controller } = entry;
    if (passId === undefined) return [];
    const known = passes.get(passId);
    const told = known ?? { chart: chartOf(controller), value: undefined };
    passes.set(passId, told);
    const introduction = known === undefined ? [actorOf(entry, machineOf(controller))] : [];
    if (entry.kind === 'pass.finished') passes.delete(passId);
    return [...introduction, ...eventsOf(entry, told)];
  };
}

const common = ({ passId = '', atMs, seq }: JournalEntry) => ({
  sessionId: passId,
  rootId: passId,
  createdAt: String(atMs),
  id: String(seq),
  _version: VERSION,
});

const snapshotOf = (status: 'active' | 'done', value: unknown) => ({
  status,
  value,
  context: {},
  children: {},
  historyValue: {},
  tags: [],
});

const actorOf = (entry: JournalEntry, machine: AnyStateMachine | undefined): InspectorEvent => ({
  ...common(entry),
  type: '@xstate.actor',
  name: `${entry.controller} ${entry.key}`,
  definition: JSON.stringify(machine?.config ?? { id: entry.controller }, namedFunctions),
  snapshot: snapshotOf('active', undefined),
});

/** Inline guards and actions are told by their names. */
const namedFunctions = (_: string, value: unknown): unknown =>
  typeof value === 'function' ? { type: value.name } : value;

function eventsOf(entry: JournalEntry, told: Told): readonly InspectorEvent[] {
  if (entry.kind === 'state') {
    told.value = valueOf(told.chart, entry.state ?? '');
    const event = { type: entry.event ?? 'xstate.init' };
    return [
      { ...common(entry), type: '@xstate.event', event },
      { ...common(entry), type: '@xstate.snapshot', event, snapshot: snapshotOf('active', told.value) },
    ];
  }
  if (entry.kind !== 'pass.finished') return [];
  const { outcome, reason, error } = entry;
  const output = {
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
  };
  return [
    {
      ...common(entry),
      type: '@xstate.snapshot',
      event: { type: 'xstate.stop' },
      snapshot: { ...snapshotOf('done', told.value), output },
    },
  ];
}

type Tree = { [name: string]: Tree };

/** A state of the journal as XState has it: `loading`, `{ signing: 'loading' }`, with each region of a parallel state. */
function valueOf(chart: Chart | undefined, state: string): unknown {
  const leaves = chart === undefined ? [] : activeLeaves(chart, state);
  const tree: Tree = {};
  for (const leaf of leaves.length > 0 ? leaves : [state]) {
    let at = tree;
    for (const name of leaf.split('.')) at = at[name] ??= {};
  }
  return collapsed(tree, chart?.root);
}

/** Where one state is active of several, and has none below it, its name stands for it. */
function collapsed(tree: Tree, around: ChartState | undefined): unknown {
  const names = Object.keys(tree);
  const [only] = names;
  const below = (name: string): Tree => tree[name] ?? {};
  if (only !== undefined && around?.type !== 'parallel' && Object.keys(below(only)).length === 0) return only;
  return Object.fromEntries(
    names.map((name) => [
      name,
      collapsed(
        below(name),
        around?.states.find((state) => state.name === name),
      ),
    ]),
  );
}
