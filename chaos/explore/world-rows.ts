import type { Any } from './api-request.ts';
import type { ModelStore } from './model-store.ts';
import { type Compounds, createParts } from './parts.ts';
import type { View } from './views.ts';
import type { Reconcile, Process, ModelWorld } from './world.ts';

/** Worlds as rows of numbers. Worlds that differ only in names have equal rows. */
export interface WorldRows {
  /** Number of columns of a row. */
  readonly width: number;
  rowOf(world: ModelWorld): number[];
  /** Returns the world of a row. It consists of canonical parts. */
  worldOf(row: ArrayLike<number>): ModelWorld;
  /** Number of different parts, and their total number of characters. */
  readonly size: number;
  readonly characters: number;
  /** Returns a hash of all parts in order of first occurrence. */
  digest(): string;
}

/** Number of columns before those of the processes: script, store, zombies and ghosts. */
const COMMON = 4;

/**
 * Creates the rows of worlds with `processes` processes.
 *
 * Processes are interchangeable, because nothing in a world names a particular one. A row therefore lists
 * them in sorted order, which merges symmetric worlds.
 */
export function createWorldRows(processes: number): WorldRows {
  const parts = createParts(compounds);
  return {
    width: COMMON + processes,
    rowOf({ script, store, zombies, ghosts, processes: running }) {
      const row = parts.row([script, store, zombies, ghosts, ...running]);
      return running.length < 2 ? row : sortedFrom(row, COMMON);
    },
    worldOf(row) {
      const value = (at: number): unknown => parts.value(row[at] ?? -1);
      const running = Array.from({ length: processes }, (_, at) => value(COMMON + at));
      return {
        script: value(0),
        store: value(1),
        zombies: value(2),
        ghosts: value(3),
        processes: running,
      } as ModelWorld;
    },
    get size() {
      return parts.size;
    },
    get characters() {
      return parts.characters;
    },
    digest: parts.digest,
  };
}

/** First part of a compound: its type, and the structure of its other parts. */
type Head =
  | { readonly is: 'process' }
  | { readonly is: 'list' }
  | {
      readonly is: 'reconcile';
      readonly key: string;
      readonly asked: number;
      readonly effect: string;
      /**
       * For each segment, the number of its reads, and the number of the request whose response started it.
       */
      readonly log: readonly { readonly reads: number; readonly to?: number }[];
    }
  | {
      readonly is: 'view';
      readonly keys: readonly string[];
      readonly events: readonly string[];
      readonly stalled: boolean;
    }
  | { readonly is: 'store'; readonly keys: readonly string[]; readonly born: ModelStore['births'] };

const split = (head: Head, parts: readonly unknown[]): readonly unknown[] => [head, ...parts];

const PROCESS: Head = { is: 'process' };
const LIST: Head = { is: 'list' };

/**
 * Splits a reconcile into parts, among them the values that its effect read, because caches share most of
 * these.
 */
const splitReconcile = ({
  key,
  machine,
  run: { effect, input, log },
  asked,
  open,
}: Reconcile): readonly unknown[] =>
  split(
    {
      is: 'reconcile',
      key,
      asked,
      effect,
      log: log.map(({ reads, answer }) => ({ reads: reads.length, ...(answer ? { to: answer.to } : {}) })),
    },
    [
      machine,
      input,
      open,
      ...log.flatMap(({ reads, answer }) => [...(answer ? [answer.answer] : []), ...reads]),
    ],
  );

function joinedReconcile(
  head: Head & { readonly is: 'reconcile' },
  [machine, input, open, ...told]: readonly unknown[],
) {
  const { key, asked, effect } = head;
  let at = 0;
  const log = head.log.map(({ reads, to }) => {
    const answer = to === undefined ? undefined : { to, answer: told[at++] };
    at += reads;
    return { reads: told.slice(at - reads, at), ...(answer ? { answer } : {}) };
  });
  // Inverse of `splitReconcile`.
  return { key, machine, run: { effect, input, log }, asked, open } as Reconcile;
}

/** Decomposition of processes, caches and the store into objects, because a step changes few of them. */
const compounds: Compounds = {
  split(value) {
    if ('views' in value) {
      const { queue, reconciles, memory, views } = value as Process;
      return split(PROCESS, [queue, reconciles, memory, ...views]);
    }
    if (Array.isArray(value)) {
      const [first] = value as readonly (Partial<Reconcile> & Partial<Any>)[];
      return first?.machine || first?.metadata ? split(LIST, value) : undefined;
    }
    if ('machine' in value) return splitReconcile(value as Reconcile);
    if ('pending' in value) {
      const { objects, pending, stalled = false } = value as View;
      const events = pending.map(({ type }) => type);
      const parts = [...Object.values(objects), ...pending.map(({ object }) => object)];
      return split({ is: 'view', keys: Object.keys(objects), events, stalled }, parts);
    }
    if ('births' in value) {
      const { objects, births } = value as ModelStore;
      return split({ is: 'store', keys: Object.keys(objects), born: births }, Object.values(objects));
    }
    return undefined;
  },
  join([first, ...parts]) {
    const head = first as Head;
    // Inverse of `split`.
    const objects = parts as readonly Any[];
    switch (head.is) {
      case 'process': {
        const [queue, reconciles, memory, ...views] = parts;
        return { queue, reconciles, memory, views } as Process;
      }
      case 'list':
        return [...parts];
      case 'reconcile':
        return joinedReconcile(head, parts);
      case 'view': {
        const { keys, events, stalled } = head;
        const pending = events.map((type, at) => ({ type, object: objects[keys.length + at] }));
        return { objects: named(keys, objects), pending, ...(stalled ? { stalled } : {}) } as View;
      }
      case 'store':
        return { objects: named(head.keys, objects), births: head.born } satisfies ModelStore;
    }
  },
};

const named = (keys: readonly string[], objects: readonly Any[]): { readonly [key: string]: Any } =>
  Object.fromEntries(keys.flatMap((key, at) => (objects[at] ? [[key, objects[at]] as const] : [])));

/** Sorts the columns of a row from `start` on, by insertion, because rows are short. */
function sortedFrom(row: number[], start: number): number[] {
  for (let at = start + 1; at < row.length; at++)
    for (let to = at; to > start && (row[to - 1] ?? 0) > (row[to] ?? 0); to--)
      [row[to - 1], row[to]] = [row[to] ?? 0, row[to - 1] ?? 0];
  return row;
}
