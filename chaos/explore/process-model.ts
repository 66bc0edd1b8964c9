import type { Any, ApiAnswer } from './api-request.ts';
import type { ControllerModel, Read } from './controller-model.ts';
import type { EffectTable, Reader } from './effect-table.ts';
import type { MachineState } from './machine-table.ts';
import type { ModelServer, ModelStore } from './model-store.ts';
import { type Changed, type View, relist } from './views.ts';
import type { OpenRequest, Pass, Process, Queue } from './world.ts';

export interface ProcessModelOptions {
  readonly model: ControllerModel;
  readonly effects: EffectTable;
  readonly server: ModelServer;
  /** The last time that the scenario's clock shows. */
  readonly lastMs: number;
}

/** What comes up within this may come up at any moment, and is waited for before it is asked whether all is well. */
export const PATIENCE_MS = 60_000;
/** A wish to be brought up again sooner than this counts as at once: the clock of the model is coarser. */
const SOON_MS = 5_000;

/** One process of a controller: each operation gives what it is afterwards. Pure but for the effects' table. */
export interface ProcessModel {
  /** With caches as the store is. */
  started(store: ModelStore, nowMs: number): Process;
  /** With caches as those of its predecessor were, on watches from which nothing comes. */
  startedBehind(predecessor: Process, nowMs: number): Process;
  /** Nothing is left but what its caches held. */
  crashed(process: Process): Process;
  add(process: Process, key: string): Process;
  /** A worker takes a key, and works as far as it can without an answer. */
  take(process: Process, key: string, nowMs: number): Process;
  answer(process: Process, at: number, open: OpenRequest, answer: ApiAnswer, nowMs: number): Process;
  /** A pass gives up waiting. */
  giveUp(process: Process, at: number, nowMs: number): Process;
  withView(process: Process, informer: number, changed: Changed, nowMs: number): Process;
  /** An informer lists anew. */
  relisted(process: Process, informer: number, store: ModelStore, nowMs: number): Process;
  /** Timers of keys end. */
  awoken(process: Process, keys: readonly string[]): Process;
  /** Every key that is known comes up. */
  resynced(process: Process, nowMs: number): Process;
}

const noView: View = { objects: {}, pending: [] };

export function createProcessModel({ model, effects, server, lastMs }: ProcessModelOptions): ProcessModel {
  const { machine, followed } = model;
  const { reader, withView, relisted } = createCaches(model, server);
  const empty: Process = {
    queue: { up: true, ready: [], again: [], due: {} },
    passes: [],
    memory: model.memory.save(),
    views: followed.map(() => noView),
  };

  const addAfter = (process: Process, key: string, afterMs: number, nowMs: number): Process => {
    if (afterMs <= SOON_MS) return add(process, key);
    const { queue } = process;
    const dueMs = Math.min(queue.due[key] ?? Infinity, nowMs + afterMs);
    // What comes up long after the last instant of the scenario never does.
    if (dueMs > lastMs + PATIENCE_MS) return process;
    return { ...process, queue: { ...queue, due: inOrder({ ...queue.due, [key]: dueMs }) } };
  };

  /** A state of a pass' machine: its end, or the effect that it waits for. */
  const enter = (process: Process, at: number, key: string, state: MachineState, nowMs: number): Process => {
    if (state.output) return finish(process, at, key, state.output, nowMs);
    const { effect = '', input } = state.invoke ?? {};
    const pass: Pass = { key, machine: state, run: { effect, input, log: [] }, asked: 0, open: [] };
    return carryOn(process, at, pass, undefined, nowMs);
  };
  const carryOn = (
    process: Process,
    at: number,
    pass: Pass,
    answer: { readonly to: number; readonly answer: ApiAnswer } | undefined,
    nowMs: number,
  ): Process => {
    const { memory, views } = process;
    const result = effects.next(pass.run, answer, memory, reader(views, nowMs));
    const after: Process = { ...process, memory: result.memory };
    const next = result.enqueued.reduce<Process>(
      (added, [key, afterMs]) => addAfter(added, key, afterMs, nowMs),
      after,
    );
    if (result.end) return enter(next, at, pass.key, machine.next(pass.machine, result.end), nowMs);
    const segment = { memory, reads: result.reads, ...(answer ? { answer } : {}) };
    const waiting: Pass = {
      ...pass,
      run: { ...pass.run, log: [...pass.run.log, segment] },
      asked: pass.asked + result.asked.length,
      open: [
        ...pass.open.filter(({ to }) => to !== answer?.to),
        ...result.asked.map((request, nth) => ({ to: pass.asked + nth, request })),
      ],
    };
    return { ...next, passes: placed(next.passes, at, waiting) };
  };
  const finish = (
    process: Process,
    at: number,
    key: string,
    output: NonNullable<MachineState['output']>,
    nowMs: number,
  ): Process => {
    const { queue } = process;
    const isAgain = queue.again.includes(key) || output.outcome === 'failed';
    const done: Process = {
      ...process,
      passes: process.passes.filter((_, each) => each !== at),
      queue: { ...queue, again: queue.again.filter((each) => each !== key) },
    };
    const next = isAgain ? add(done, key) : done;
    return output.outcome === 'requeue' ? addAfter(next, key, output.afterMs, nowMs) : next;
  };

  return {
    started: (store, nowMs) =>
      followed.reduce<Process>((process, _, informer) => relisted(process, informer, store, nowMs), empty),
    startedBehind: (predecessor, nowMs) =>
      predecessor.views.reduce<Process>((process, old, informer) => {
        const { view, heard } = relist(noView, Object.values(old.objects));
        return withView(process, informer, { view: { ...view, stalled: true }, heard }, nowMs);
      }, empty),
    crashed: ({ views }) => ({
      ...empty,
      queue: { ...empty.queue, up: false },
      views: views.map(({ objects }) => ({ objects, pending: [] })),
    }),
    add,
    take(process, key, nowMs) {
      const { queue, passes } = process;
      const taken = { ...process, queue: { ...queue, ready: queue.ready.filter((each) => each !== key) } };
      return enter(taken, passes.length, key, machine.start(key), nowMs);
    },
    answer(process, at, { to }, answer, nowMs) {
      const pass = process.passes[at];
      return pass ? carryOn(process, at, pass, { to, answer }, nowMs) : process;
    },
    giveUp(process, at, nowMs) {
      const pass = process.passes[at];
      return pass ? enter(process, at, pass.key, machine.next(pass.machine, 'timeout'), nowMs) : process;
    },
    withView,
    relisted,
    awoken(process, keys) {
      const due = Object.entries(process.queue.due).filter(([key]) => !keys.includes(key));
      return keys.reduce(add, { ...process, queue: { ...process.queue, due: Object.fromEntries(due) } });
    },
    resynced(process, nowMs) {
      const { flushed: _, ...queue } = process.queue;
      return process.views.reduce<Process>(
        (next, view, informer) => {
          const heard = Object.values(view.objects).map(
            (object) => ({ type: 'apply', object, previous: undefined }) as const,
          );
          return withView(next, informer, { view, heard }, nowMs);
        },
        { ...process, queue },
      );
    },
  };
}

/** The informers of a process: what is read from them, and what their changes bring up. */
function createCaches(model: ControllerModel, server: ModelServer) {
  const { followed } = model;
  const reader =
    (views: readonly View[], nowMs: number): Reader =>
    (query: Read) => {
      if (query.of === 'now') return nowMs;
      const objects = views[query.informer]?.objects ?? {};
      if (query.of === 'get') return objects[query.key];
      const all = Object.values(objects);
      return query.of === 'list'
        ? all
        : all.filter((each) => model.indexValues(query.informer, query.index, each).includes(query.value));
    };
  const withView = (process: Process, informer: number, changed: Changed, nowMs: number): Process => {
    const views = replaced(process.views, informer, changed.view);
    const leave = model.enter({
      read: reader(views, nowMs),
      ask: () => new Promise(() => {}),
      enqueue: () => {},
    });
    try {
      const keys = changed.heard.flatMap((each) => model.keysOf(informer, each));
      return keys.reduce(add, { ...process, views });
    } finally {
      leave();
    }
  };
  const relisted = (process: Process, informer: number, store: ModelStore, nowMs: number): Process => {
    const { resource = '', kind, scope } = followed[informer] ?? {};
    const listed = Object.entries(store.objects)
      .filter(
        ([key, object]) =>
          key.startsWith(`${resource} `) && kind && server.selects(kind, object, scope ?? {}),
      )
      .map(([, object]): Any => object);
    return withView(process, informer, relist(process.views[informer] ?? noView, listed), nowMs);
  };
  return { reader, withView, relisted };
}

/** The key waits to be taken, or to be taken again after the pass that is under way. */
function add(process: Process, key: string): Process {
  const { queue, passes } = process;
  const list = passes.some((pass) => pass.key === key) ? 'again' : 'ready';
  if (queue[list].includes(key)) return process;
  return { ...process, queue: { ...queue, [list]: [...queue[list], key].sort() } };
}

export const replaced = (views: readonly View[], informer: number, view: View): readonly View[] =>
  views.map((each, at) => (at === informer ? view : each));

const placed = (passes: readonly Pass[], at: number, pass: Pass): readonly Pass[] =>
  at < passes.length ? passes.map((each, nth) => (nth === at ? pass : each)) : [...passes, pass];

export const inOrder = <V>(record: { readonly [key: string]: V }): { readonly [key: string]: V } =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Keys whose timers end soon. */
export const soonDue = ({ due }: Queue, nowMs: number): readonly string[] =>
  Object.keys(due).filter((key) => (due[key] ?? 0) <= nowMs + PATIENCE_MS);
