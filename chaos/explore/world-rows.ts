import type { Any } from './api-request.ts';
import type { ModelStore } from './model-store.ts';
import { type Compounds, createParts } from './parts.ts';
import type { View } from './views.ts';
import type { Pass, Process, World } from './world.ts';

/** Worlds as rows of numbers, equal for worlds that are the same but for names. */
export interface WorldRows {
  /** How long each row is. */
  readonly width: number;
  rowOf(world: World): number[];
  /** The world of a row, made of the parts that stand for all that are equal. */
  worldOf(row: ArrayLike<number>): World;
  /** Distinct parts, and the characters of them all. */
  readonly size: number;
  readonly characters: number;
  /** A hash of what all parts say. */
  digest(): string;
}

/** Script, store, zombies, ghosts; the processes follow. */
const COMMON = 4;

/**
 * Processes of one controller are interchangeable, for nothing in a world says which of them did what: they stand in a row
 * in the order of their numbers.
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
      } as World;
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

/** The first part of a compound: what the others are. */
type Head =
  | { readonly is: 'process' }
  | { readonly is: 'list' }
  | {
      readonly is: 'pass';
      readonly key: string;
      readonly asked: number;
      readonly effect: string;
      /** Of each stretch, how much it read, and to which request it was answered before. */
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

/** A pass is made of what its effect was told: most of that are objects that a cache holds too. */
const splitPass = ({ key, machine, run: { effect, input, log }, asked, open }: Pass): readonly unknown[] =>
  split(
    {
      is: 'pass',
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

function joinedPass(
  head: Head & { readonly is: 'pass' },
  [machine, input, open, ...told]: readonly unknown[],
) {
  const { key, asked, effect } = head;
  let at = 0;
  const log = head.log.map(({ reads, to }) => {
    const answer = to === undefined ? undefined : { to, answer: told[at++] };
    at += reads;
    return { reads: told.slice(at - reads, at), ...(answer ? { answer } : {}) };
  });
  // What was taken apart is put together again.
  return { key, machine, run: { effect, input, log }, asked, open } as Pass;
}

/** Processes, their caches and the store are made of parts, each object one of its own: a step changes few of them. */
const compounds: Compounds = {
  split(value) {
    if ('views' in value) {
      const { queue, passes, memory, views } = value as Process;
      return split(PROCESS, [queue, passes, memory, ...views]);
    }
    if (Array.isArray(value)) {
      const [first] = value as readonly (Partial<Pass> & Partial<Any>)[];
      return first?.machine || first?.metadata ? split(LIST, value) : undefined;
    }
    if ('machine' in value) return splitPass(value as Pass);
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
    // What was taken apart is put together again.
    const objects = parts as readonly Any[];
    switch (head.is) {
      case 'process': {
        const [queue, passes, memory, ...views] = parts;
        return { queue, passes, memory, views } as Process;
      }
      case 'list':
        return [...parts];
      case 'pass':
        return joinedPass(head, parts);
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

/** Sorts what comes from `start` on; the rest of a row is short. */
function sortedFrom(row: number[], start: number): number[] {
  for (let at = start + 1; at < row.length; at++)
    for (let to = at; to > start && (row[to - 1] ?? 0) > (row[to] ?? 0); to--)
      [row[to - 1], row[to]] = [row[to] ?? 0, row[to - 1] ?? 0];
  return row;
}
