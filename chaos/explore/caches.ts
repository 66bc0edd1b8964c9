import type { Any } from './api-request.ts';
import type { ControllerModel, Read } from './controller-model.ts';
import type { Query, Reader } from './effect-table.ts';
import { createMemo } from './memo.ts';
import type { ModelStore } from './model-store.ts';
import { add } from './reconcile-model.ts';
import type { ProcessModelOptions } from './process-options.ts';
import { textOf } from './text.ts';
import { type Changed, type View, relist } from './views.ts';
import { type Process, withMemory, withViews } from './world.ts';

/** Executes a read on the caches of a process. */
export type LookUp = (views: readonly View[], query: Read, nowMs: number) => unknown;

export function createLookUp(model: ControllerModel): LookUp {
  const values = createMemo<Any, readonly string[]>();
  return (views, query, nowMs) => {
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
}

/** A process after a transition, and the caches that the transition read. */
export interface Noted {
  readonly process: Process;
  /**
   * Bit set with one bit for each informer that was read, plus `MEMORY` and `CLOCK`. Informers whose indexes
   * are equal modulo 30 share a bit.
   */
  readonly looked: number;
}

/** Bit of `looked` that is set if the transition read the clock. */
export const CLOCK = 1 << 31;
/** Bit of `looked` that is set if the transition read or changed the controller's memory. */
export const MEMORY = 1 << 30;
export const bitOf = (informer: number): number => 1 << (informer % 30);

export const noView: View = { objects: {}, pending: [] };

/**
 * Effect of a change on the controller's own event handlers: the memory after their run, and the keys that
 * they enqueue.
 */
interface Told {
  readonly memory: unknown;
  readonly keys: readonly string[];
}

/** Creates the informers of a process: cache reads, and the keys that cache changes enqueue. */
export function createCaches({ model, server, footprint, executions }: ProcessModelOptions) {
  const { followed } = model;
  const lookUp = createLookUp(model);
  /** Keys that a change enqueues, for changes whose keys depend on no other cache. */
  const plainKeys = new WeakMap<Changed, readonly string[]>();
  /** Results of handlers that depend only on the change and the memory, by both. */
  const plainTold = new WeakMap<Changed, Map<unknown, Told>>();
  let looked = 0;
  const noting = (become: () => Process): Noted => {
    looked = 0;
    const process = become();
    return { process, looked };
  };
  const reader =
    (views: readonly View[], nowMs: number, onRead?: (query: Read) => void): Reader =>
    (query: Query) => {
      if (query.of === 'memory') {
        looked |= MEMORY;
        return undefined;
      }
      onRead?.(query);
      looked |= query.of === 'now' ? CLOCK : bitOf(query.informer);
      return lookUp(views, query, nowMs);
    };
  /** Reader that also records each read in the footprint. */
  const noted = (views: readonly View[], nowMs: number): Reader =>
    reader(views, nowMs, (query) => footprint?.read(query));
  const withView = (process: Process, informer: number, changed: Changed, nowMs: number): Process => {
    if (!model.isSubscribed(informer) || changed.heard.length === 0)
      return bringUp(process, informer, changed, nowMs);
    const views = replaced(process.views, informer, changed.view);
    const { memory, keys } = told(informer, changed, process.memory, noted(views, nowMs));
    return bringUp(keys.reduce(add, withMemory(process, memory)), informer, changed, nowMs);
  };
  const bringUp = (process: Process, informer: number, changed: Changed, nowMs: number): Process => {
    const shown = withViews(process, replaced(process.views, informer, changed.view));
    const keys = plainKeys.get(changed) ?? keysOf(informer, changed, shown, nowMs);
    return keys.reduce(add, shown);
  };
  const told = (informer: number, changed: Changed, memory: unknown, read: Reader): Told => {
    let known = plainTold.get(changed);
    if (!known) plainTold.set(changed, (known = new Map()));
    const found = known.get(memory);
    if (found) return found;
    const notify = (on: ControllerModel, reader: Reader) => {
      const keys: string[] = [];
      const [after, isPlain] = alone(
        on,
        reader,
        (key) => keys.push(key),
        () => {
          on.memory.restore(memory);
          for (const each of changed.heard) on.tell(informer, each);
          return on.memory.save();
        },
      );
      return { after, keys, isPlain };
    };
    const { after, keys, isPlain } = notify(model, read);
    noteExecution('a subscribed handler', informer, { after, keys, isPlain }, (on) => notify(on, read));
    const result = { memory: textOf(after) === textOf(memory) ? memory : after, keys };
    if (isPlain) known.set(memory, result);
    return result;
  };
  const noteExecution = (
    what: string,
    informer: number,
    result: unknown,
    again: (on: ControllerModel) => unknown,
  ): void =>
    executions?.note({
      what: () => `${what} of ${followed[informer]?.kind.plural ?? ''}`,
      result,
      again: async (on) => again(on),
    });
  const keysOf = (
    informer: number,
    changed: Changed,
    { views, memory }: Process,
    nowMs: number,
  ): readonly string[] => {
    const { heard } = changed;
    const watched = (on: ControllerModel) => {
      const reads: Read[] = [];
      const read = reader(views, nowMs, (query) => reads.push(query));
      let isTouched = false;
      const [keys, isPlain] = alone(
        on,
        read,
        () => {},
        () => heard.flatMap((each) => on.keysOf(informer, each)),
        () => {
          if (isTouched) return;
          isTouched = true;
          read({ of: 'memory' });
          on.memory.restore(memory);
        },
      );
      return { keys, isPlain, isTouched, reads };
    };
    const found = watched(model);
    noteExecution('a watch', informer, found, watched);
    const { keys, isPlain, isTouched, reads } = found;
    if (isPlain && !isTouched) plainKeys.set(changed, keys);
    else footprint?.wake({ informer, heard, views, nowMs, reads, keys });
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
  return { reader: noted, withView, bringUp, relisted, noting };
}

export const replaced = (views: readonly View[], informer: number, view: View): readonly View[] =>
  views.map((each, at) => (at === informer ? view : each));

/** Runs synchronous code. Returns its result, and true if the code read no cache. */
function alone<T>(
  on: ControllerModel,
  read: Reader,
  enqueue: (key: string) => void,
  work: () => T,
  touch = (): void => {},
): readonly [T, boolean] {
  let isPlain = true;
  const exit = on.enter({
    read(query) {
      isPlain = false;
      return read(query);
    },
    ask: () => new Promise(() => {}),
    enqueue,
    touch,
  });
  try {
    return [work(), isPlain];
  } finally {
    exit();
  }
}
