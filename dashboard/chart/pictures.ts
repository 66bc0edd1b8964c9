import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { describeMachine } from './describe.ts';
import { type Picture, layOut } from './layout.ts';

/** Pictures of machines. Each is laid out on first use and cached. */
export interface Pictures {
  of(machine: AnyStateMachine): Promise<Picture>;
}

/**
 * Creates a source of pictures. `built` returns prepared pictures by machine. A picture of an outdated chart
 * is laid out again.
 */
export function createPictures(built: () => { readonly [id: string]: Picture } = () => ({})): Pictures {
  const made = new WeakMap<AnyStateMachine, Promise<Picture>>();
  const ready = once(built);
  // The module is imported on first use, because it has 1.5 MB of code that most processes never need.
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
