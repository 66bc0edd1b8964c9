import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { describeMachine } from './describe.ts';
import { type Picture, layOut } from './layout.ts';

/** The pictures of machines. Each is laid out when it is first asked for, and kept; the same machine, the same picture. */
export interface Pictures {
  of(machine: AnyStateMachine): Promise<Picture>;
}

/** `built` are pictures that were laid out before, by machine; one that is out of date is made anew. */
export function createPictures(built: () => { readonly [id: string]: Picture } = () => ({})): Pictures {
  const made = new WeakMap<AnyStateMachine, Promise<Picture>>();
  const ready = once(built);
  // 1.5 MB of code that most processes never need.
  const loaded = once(async () => {
    const { default: bundled } = await import('elkjs/lib/elk.bundled.js');
    return new bundled.default();
  });
  const make = async (machine: AnyStateMachine): Promise<Picture> => {
    const chart = describeMachine(machine);
    const before = ready()[chart.id];
    return before !== undefined && isDeepStrictEqual(before.chart, chart)
      ? before
      : layOut(chart, await loaded());
  };
  return {
    of(machine) {
      const known = made.get(machine) ?? make(machine);
      made.set(machine, known);
      return known;
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
