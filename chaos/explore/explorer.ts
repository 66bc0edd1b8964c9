import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.ts';
import { Unknown } from './effect-table.ts';
import { createParts } from './parts.ts';
import { createNumberList, createStateTable } from './state-table.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import type { Steps } from './steps.ts';
import type { Process, World } from './world.ts';

export interface ExploreOptions {
  readonly steps: Steps;
  readonly leaders: number;
  readonly faults: number;
  /** States after which it is given up. */
  readonly maxStates: number;
  /** Milliseconds after which it is given up. Default none. */
  readonly maxMs?: number;
  /** For the time it takes. */
  readonly clock: Clock;
  /** Told now and then. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly states: number;
  /** States that wait to be looked at. */
  readonly waiting: number;
  readonly depth: number;
  readonly ms: number;
}

export interface TraceStep {
  readonly label: string;
  readonly fault?: string;
  readonly world: World;
}

/** How an exploration ended. `unknown` is what it is when a bound was hit: never a pass. */
export type Exploration = Figures &
  (
    | { readonly verdict: 'pass' }
    | { readonly verdict: 'fail'; readonly violation: Violation; readonly trace: readonly TraceStep[] }
    | { readonly verdict: 'unknown'; readonly because: string }
  );

export interface Figures {
  readonly states: number;
  readonly steps: number;
  /** Of the longest of the shortest ways to a state. */
  readonly depth: number;
  readonly ms: number;
  /** The same for the same controller, workload and bounds. */
  readonly hash: string;
  /** Characters of the distinct parts that the states are made of. */
  readonly characters: number;
  readonly parts: number;
  /** Distinct stores that it has come to rest with, versions aside: the ends that the workload's choices lead to. */
  readonly ends: number;
  /** Those of them that nothing but a fault leads to: where there are none, the end does not tell what went wrong (G8). */
  readonly faultyEnds: number;
}

/** Looks at every state that can come about, nearest first, until there is no new one, and at the first that is wrong. */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { steps, clock, maxStates, maxMs = Infinity } = options;
  const startedMs = clock.monotonic();
  const initial = steps.initial(options.leaders, options.faults);
  const parts = createParts();
  const table = createStateTable(partsOf(initial).length);
  const views = initial.processes[0]?.views.length ?? 0;
  const worldOf = (id: number): World => assemble([...table.row(id)].map(parts.value), views);
  /** For each state the state and the step it was first come to by. */
  const parents = createNumberList();
  const choices = createNumberList();
  const depths = createNumberList();
  /** Steps that happen without fault or wish: from, to. */
  const edges = createNumberList();
  const idle = new Set<number>();
  const ends = { undisturbed: new Set<string>(), all: new Set<string>() };
  let count = 0;
  let graph = 0n;

  const enter = (world: World, from: number, choice: number): number => {
    const { id, isNew } = table.add(parts.row(partsOf(world)));
    if (isNew) {
      parents.push(from);
      choices.push(choice);
      depths.push(from < 0 ? 0 : depths.at(from) + 1);
    }
    return id;
  };
  const traceTo = async (id: number, last?: Step): Promise<TraceStep[]> => {
    const ids: number[] = [];
    for (let at = id; at >= 0; at = parents.at(at)) ids.unshift(at);
    const trace: TraceStep[] = [];
    for (const [n, at] of ids.entries()) {
      const world = worldOf(at);
      if (n === 0) trace.push({ label: 'at the start', world });
      else {
        const step = (await stepsFrom(worldOf(ids[n - 1] ?? 0)))[choices.at(at)];
        trace.push({ label: step?.label ?? '', ...(step?.fault ? { fault: step.fault } : {}), world });
      }
    }
    if (last)
      trace.push({ label: last.label, ...(last.fault ? { fault: last.fault } : {}), world: last.world });
    return trace;
  };
  const stepsFrom = async (world: World): Promise<Step[]> => {
    for (;;)
      try {
        return steps.from(world);
      } catch (thrown) {
        if (!(thrown instanceof Unknown)) throw thrown;
        await thrown.run();
      }
  };
  const figures = (): Figures => ({
    states: table.size,
    steps: count,
    depth: depths.at(depths.length - 1),
    ms: clock.monotonic() - startedMs,
    hash: createHash('sha256').update(`${table.size} ${count} ${graph}`).digest('hex').slice(0, 16),
    characters: parts.characters,
    parts: parts.size,
    ends: ends.all.size,
    faultyEnds: ends.all.size - ends.undisturbed.size,
  });

  enter(initial, -1, 0);
  for (let id = 0; id < table.size; id++) {
    if (table.size > maxStates)
      return { verdict: 'unknown', because: `more than ${maxStates} states`, ...figures() };
    if (id % 1024 === 0) {
      const ms = clock.monotonic() - startedMs;
      options.onProgress?.({ states: table.size, waiting: table.size - id, depth: depths.at(id), ms });
      if (ms > maxMs)
        return { verdict: 'unknown', because: `more than ${Math.round(maxMs / 1000)} s`, ...figures() };
    }
    const world = worldOf(id);
    const isResting = steps.isAtRest(world);
    if (isResting) {
      const end = JSON.stringify(world.store.objects).replaceAll(VERSION, '');
      ends.all.add(end);
      if (world.script.faults === options.faults) ends.undisturbed.add(end);
    }
    const unmet = isResting ? steps.unmet(world) : undefined;
    if (unmet) return { verdict: 'fail', violation: unmet, trace: await traceTo(id), ...figures() };
    if (steps.isIdle(world)) idle.add(id);
    for (const [choice, step] of (await stepsFrom(world)).entries()) {
      count += 1;
      if (step.broken)
        return { verdict: 'fail', violation: step.broken, trace: await traceTo(id, step), ...figures() };
      const to = enter(step.world, id, choice);
      graph = (graph * 31n + BigInt(to)) & 0xffff_ffff_ffff_ffffn;
      if (!step.fault && !step.wish && to !== id) {
        edges.push(id);
        edges.push(to);
      }
    }
  }
  const stuck = firstWithout(table.size, idle, edges);
  if (stuck !== undefined)
    return {
      verdict: 'fail',
      violation: { invariant: 'generic/G6', how: 'from here nothing ever comes to rest' },
      trace: await traceTo(stuck),
      ...figures(),
    };
  return { verdict: 'pass', ...figures() };
}

const VERSION = /@\d+/g;

/** The nearest state from which no way leads to one of `goals`: one backward search. */
function firstWithout(
  size: number,
  goals: ReadonlySet<number>,
  edges: { readonly length: number; at(index: number): number },
): number | undefined {
  const heads = new Int32Array(size).fill(-1);
  const following = new Int32Array(edges.length / 2);
  for (let edge = 0; edge * 2 < edges.length; edge++) {
    const to = edges.at(edge * 2 + 1);
    following[edge] = heads[to] ?? -1;
    heads[to] = edge;
  }
  const can = new Uint8Array(size);
  const pending = [...goals];
  for (const goal of pending) can[goal] = 1;
  for (let id = pending.pop(); id !== undefined; id = pending.pop())
    for (let edge = heads[id] ?? -1; edge !== -1; edge = following[edge] ?? -1) {
      const from = edges.at(edge * 2);
      if (can[from]) continue;
      can[from] = 1;
      pending.push(from);
    }
  const found = can.indexOf(0);
  return found < 0 ? undefined : found;
}

/** What a row is made of, in the order that `assemble` takes it in. */
const partsOf = ({ script, store, zombies, ghosts, processes }: World): unknown[] => [
  script,
  store,
  zombies,
  ghosts,
  ...processes.flatMap(({ queue, passes, memory, views }) => [queue, passes, memory, ...views]),
];

function assemble([script, store, zombies, ghosts, ...rest]: readonly unknown[], views: number): World {
  const processes: Process[] = [];
  for (let at = 0; at < rest.length; at += 3 + views) {
    const [queue, passes, memory, ...others] = rest.slice(at, at + 3 + views);
    processes.push({ queue, passes, memory, views: others } as unknown as Process);
  }
  return { script, store, zombies, ghosts, processes } as unknown as World;
}
