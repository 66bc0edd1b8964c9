import type { AnyStateMachine } from 'xstate';
import type { JournalEntry } from '../../runtime/journal/index.ts';
import { type Chart, type ChartState, activeLeaves } from '../chart/chart.ts';
import { describeMachine } from '../chart/describe.ts';

/** An event as `@statelyai/inspect` sends it over any of its adapters. */
export type InspectorEvent = Readonly<Record<string, unknown>> & {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
};

/** Version of `@statelyai/inspect` that defines these events. */
const VERSION = '0.7.2';

/** A running reconcile that the inspector knows. */
interface Inspected {
  readonly chart: Chart | undefined;
  value: unknown;
}

/**
 * Creates a function that converts journal entries, in order, to events of an inspector. Each reconcile is an actor,
 * introduced by its first entry. Its context is always empty, because the journal has none.
 */
export function createInspectorFeed(
  machineOf: (controller: string) => AnyStateMachine | undefined,
): (entry: JournalEntry) => readonly InspectorEvent[] {
  const running = new Map<string, Inspected>();
  const charts = new Map<string, Chart | undefined>();
  const chartOf = (controller: string): Chart | undefined => {
    if (!charts.has(controller)) {
      const machine = machineOf(controller);
      charts.set(controller, machine && describeMachine(machine));
    }
    return charts.get(controller);
  };

  return (entry) => {
    const { reconcileId, controller } = entry;
    if (reconcileId === undefined) return [];
    const known = running.get(reconcileId);
    const inspected = known ?? { chart: chartOf(controller), value: undefined };
    running.set(reconcileId, inspected);
    const introduction = known === undefined ? [actorOf(entry, machineOf(controller))] : [];
    if (entry.kind === 'reconcile.finished') running.delete(reconcileId);
    return [...introduction, ...eventsOf(entry, inspected)];
  };
}

const common = ({ reconcileId = '', atMs, seq }: JournalEntry) => ({
  sessionId: reconcileId,
  rootId: reconcileId,
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

/** Returns the name of an inline guard or action, because JSON cannot contain functions. */
const namedFunctions = (_: string, value: unknown): unknown =>
  typeof value === 'function' ? { type: value.name } : value;

function eventsOf(entry: JournalEntry, inspected: Inspected): readonly InspectorEvent[] {
  if (entry.kind === 'state') {
    inspected.value = valueOf(inspected.chart, entry.state ?? '');
    const event = { type: entry.event ?? 'xstate.init' };
    return [
      { ...common(entry), type: '@xstate.event', event },
      { ...common(entry), type: '@xstate.snapshot', event, snapshot: snapshotOf('active', inspected.value) },
    ];
  }
  if (entry.kind !== 'reconcile.finished') return [];
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
      snapshot: { ...snapshotOf('done', inspected.value), output },
    },
  ];
}

type Tree = { [name: string]: Tree };

/** Converts a state of the journal to a state value of XState, such as `loading` or `{ signing: 'loading' }`. */
function valueOf(chart: Chart | undefined, state: string): unknown {
  const leaves = chart === undefined ? [] : activeLeaves(chart, state);
  const tree: Tree = {};
  for (const leaf of leaves.length > 0 ? leaves : [state]) {
    let at = tree;
    for (const name of leaf.split('.')) at = at[name] ??= {};
  }
  return collapsed(tree, chart?.root);
}

/**
 * Replaces a state without active children by its name, unless it is one of several regions of a parallel
 * state.
 */
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
