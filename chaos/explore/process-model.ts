import type { Any, ApiAnswer } from './api-request.ts';
import type { ControllerModel, Read } from './controller-model.ts';
import type { EffectTable, Reader } from './effect-table.ts';
import { aged } from './elapsed.ts';
import type { FootprintRecord } from './footprint.ts';
import { createMemo } from './memo.ts';
import type { ModelServer, ModelStore } from './model-store.ts';
import { add, createPasses } from './pass-model.ts';
import { DOWN, EMPTY, emptied, taking } from './queue.ts';
import { textOf } from './text.ts';
import { type Changed, type View, leave, relist } from './views.ts';
import type { OpenRequest, Process } from './world.ts';

export interface ProcessModelOptions {
  readonly model: ControllerModel;
  readonly effects: EffectTable;
  readonly server: ModelServer;
  /** The last time that the scenario's clock shows. */
  readonly lastMs: number;
  readonly footprint?: FootprintRecord | undefined;
}

/** One process of a controller: each operation gives what it is afterwards. Pure but for the effects' table. */
export interface ProcessModel {
  /** With caches as the store is. */
  started(store: ModelStore, nowMs: number): Process;
  /** With caches as those of its predecessor were, on watches from which nothing comes. */
  startedBehind(predecessor: Process, nowMs: number): Process;
  /** Nothing is left but what its caches held. */
  crashed(process: Process): Process;
  /** One that is dead, and whose caches no successor will be shown. */
  readonly buried: Process;
  add(process: Process, key: string): Process;
  /** A worker takes a key, and works as far as it can without an answer. */
  take(process: Process, key: string, nowMs: number): Process;
  answer(process: Process, at: number, open: OpenRequest, answer: ApiAnswer, nowMs: number): Process;
  /** A pass gives up waiting. */
  giveUp(process: Process, at: number, nowMs: number): Process;
  withView(process: Process, informer: number, changed: Changed, nowMs: number): Process;
  /** An informer lists anew. */
  relisted(process: Process, informer: number, store: ModelStore, nowMs: number): Process;
  /** So much time passes. */
  older(process: Process, ms: number): Process;
  /** Timers of keys end. */
  awoken(process: Process, keys: readonly string[]): Process;
  /** Its queue is emptied. */
  flushed(process: Process): Process;
  /** Every key that is known comes up. */
  resynced(process: Process, nowMs: number): Process;
  /** What a process becomes, with what was read to tell. */
  noting(become: () => Process): Noted;
}

/** A process as it becomes, and what was read of its caches for that. */
export interface Noted {
  readonly process: Process;
  /** Bits of the informers, and `CLOCK`; informers that share a bit count as one. */
  readonly looked: number;
}

const CLOCK = 1 << 31;
export const bitOf = (informer: number): number => 1 << (informer % 31);

const noView: View = { objects: {}, pending: [] };

export function createProcessModel(options: ProcessModelOptions): ProcessModel {
  const { model } = options;
  const { machine, followed } = model;
  const caches = createCaches(options);
  const { reader, relisted, noting, withView } = caches;
  const { enter, carryOn } = createPasses(options, reader);
  const ages = createMemo<object, unknown>();
  const empty: Process = {
    queue: EMPTY,
    passes: [],
    memory: model.memory.save(),
    views: followed.map(() => noView),
  };

  return {
    started: (store, nowMs) =>
      followed.reduce<Process>((process, _, informer) => relisted(process, informer, store, nowMs), empty),
    startedBehind: (predecessor, nowMs) =>
      predecessor.views.reduce<Process>((process, old, informer) => {
        const { view, heard } = relist(noView, Object.values(old.objects));
        return withView(process, informer, { view: { ...view, stalled: true }, heard }, nowMs);
      }, empty),
    buried: { ...empty, queue: DOWN, views: [] },
    crashed: ({ views }) => ({ ...empty, queue: DOWN, views: views.map(leave) }),
    add,
    take(process, key, nowMs) {
      const taken = { ...process, queue: taking(process.queue, key) };
      return enter(taken, process.passes.length, key, machine.start(key), nowMs);
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
    noting,
    older(process, ms) {
      const { memory } = process;
      if (typeof memory !== 'object' || memory === null) return process;
      const later = ages(memory, ms, () => aged(memory, ms));
      return later === memory ? process : { ...process, memory: later };
    },
    awoken(process, keys) {
      const due = Object.entries(process.queue.due).filter(([key]) => !keys.includes(key));
      return keys.reduce(add, { ...process, queue: { ...process.queue, due: Object.fromEntries(due) } });
    },
    flushed: ({ queue, ...rest }) => ({ ...rest, queue: emptied(queue) }),
    resynced(process, nowMs) {
      const { flushed: _, ...queue } = process.queue;
      return process.views.reduce<Process>(
        (next, view, informer) => {
          const heard = Object.values(view.objects).map(
            (object) => ({ type: 'apply', object, previous: undefined }) as const,
          );
          // A resync is about keys alone: nobody who has subscribed is told anything.
          return caches.bringUp(next, informer, { view, heard }, nowMs);
        },
        { ...process, queue },
      );
    },
  };
}

/** What those who have subscribed make of a change: what is remembered after it, and keys that it brings up. */
interface Told {
  readonly memory: unknown;
  readonly keys: readonly string[];
}

/** The informers of a process: what is read from them, and what their changes bring up. */
function createCaches({ model, server, footprint }: ProcessModelOptions) {
  const { followed } = model;
  const values = createMemo<Any, readonly string[]>();
  /** Keys that a change brings up whatever else the caches hold. */
  const plainKeys = new WeakMap<Changed, readonly string[]>();
  /** The same of what those who have subscribed make of it, by what was remembered. */
  const plainTold = new WeakMap<Changed, Map<unknown, Told>>();
  let looked = 0;
  const noting = (become: () => Process): Noted => {
    looked = 0;
    const process = become();
    return { process, looked };
  };
  const reader =
    (views: readonly View[], nowMs: number): Reader =>
    (query: Read) => {
      footprint?.read(query);
      looked |= query.of === 'now' ? CLOCK : bitOf(query.informer);
      if (query.of === 'now') return nowMs;
      const objects = views[query.informer]?.objects ?? {};
      if (query.of === 'get') return objects[query.key];
      const all = Object.values(objects);
      return query.of === 'list'
        ? all
        : all.filter((each) =>
            values(each, `${query.informer} ${query.index}`, () =>
              model.indexValues(query.informer, query.index, each),
            ).includes(query.value),
          );
    };
  const withView = (process: Process, informer: number, changed: Changed, nowMs: number): Process => {
    if (!model.isSubscribed(informer) || changed.heard.length === 0)
      return bringUp(process, informer, changed, nowMs);
    const views = replaced(process.views, informer, changed.view);
    const { memory, keys } = told(informer, changed, process.memory, reader(views, nowMs));
    return bringUp(keys.reduce(add, { ...process, memory }), informer, changed, nowMs);
  };
  const bringUp = (process: Process, informer: number, changed: Changed, nowMs: number): Process => {
    const views = replaced(process.views, informer, changed.view);
    const keys = plainKeys.get(changed) ?? keysOf(informer, changed, reader(views, nowMs));
    return keys.reduce(add, { ...process, views });
  };
  const told = (informer: number, changed: Changed, memory: unknown, read: Reader): Told => {
    let known = plainTold.get(changed);
    if (!known) plainTold.set(changed, (known = new Map()));
    const found = known.get(memory);
    if (found) return found;
    const keys: string[] = [];
    const [after, isPlain] = alone(
      read,
      (key) => keys.push(key),
      () => {
        model.memory.restore(memory);
        for (const each of changed.heard) model.tell(informer, each);
        return model.memory.save();
      },
    );
    const result = { memory: textOf(after) === textOf(memory) ? memory : after, keys };
    if (isPlain) known.set(memory, result);
    return result;
  };
  /** Runs code that waits for nothing; says whether it has read from no cache. */
  const alone = <T>(read: Reader, enqueue: (key: string) => void, work: () => T): readonly [T, boolean] => {
    let isPlain = true;
    const exit = model.enter({
      read(query) {
        isPlain = false;
        return read(query);
      },
      ask: () => new Promise(() => {}),
      enqueue,
    });
    try {
      return [work(), isPlain];
    } finally {
      exit();
    }
  };
  const keysOf = (informer: number, changed: Changed, read: Reader): readonly string[] => {
    const find = () => changed.heard.flatMap((each) => model.keysOf(informer, each));
    const [keys, isPlain] = alone(read, () => {}, find);
    if (isPlain) plainKeys.set(changed, keys);
    return keys;
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
  return { reader, withView, bringUp, relisted, noting };
}

export const replaced = (views: readonly View[], informer: number, view: View): readonly View[] =>
  views.map((each, at) => (at === informer ? view : each));
