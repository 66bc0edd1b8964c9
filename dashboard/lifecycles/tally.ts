import { ABSENT, DELETED, type Lifecycle } from '../../api/lifecycles/index.ts';
import type { ResourceName } from '../model/view.ts';
import type { LifecycleDocument, LifecycleObject } from './documents.ts';
import { HourCount } from './hour.ts';

/** An object as its informer shows it. */
export interface Seen {
  readonly resource: ResourceName;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** State; undefined if the lifecycle is not about the object. */
  readonly state: string | undefined;
}

interface Placed {
  readonly resource: ResourceName;
  readonly object: string;
  state: string;
  sinceMs: number;
  isObserved: boolean;
}

const idOf = ({ resource, object }: Pick<Seen, 'resource' | 'object'>): string =>
  `${resource.group}/${resource.plural} ${object}`;

/** States of the objects of one lifecycle, with the transitions of the last hour. */
export class LifecycleTally {
  readonly lifecycle: Lifecycle;
  readonly #objects = new Map<string, Placed>();
  readonly #moves = new Map<
    string,
    { readonly from: string; readonly to: string; readonly hour: HourCount }
  >();

  constructor(lifecycle: Lifecycle) {
    this.lifecycle = lifecycle;
  }

  /** Records an object of the first list, which was in its state before, since `sinceMs` at the latest. */
  found({ resource, object, state }: Seen, sinceMs: number): void {
    if (state !== undefined)
      this.#objects.set(idOf({ resource, object }), { resource, object, state, sinceMs, isObserved: false });
  }

  has(seen: Pick<Seen, 'resource' | 'object'>): boolean {
    return this.#objects.has(idOf(seen));
  }

  /** Records a new or changed object. */
  changed(seen: Seen, nowMs: number): void {
    const { resource, object, state } = seen;
    if (state === undefined) return;
    const known = this.#objects.get(idOf(seen));
    if (known?.state === state) return;
    this.#count(known?.state ?? ABSENT, state, nowMs);
    this.#objects.set(idOf(seen), { resource, object, state, sinceMs: nowMs, isObserved: true });
  }

  deleted(seen: Pick<Seen, 'resource' | 'object'>, nowMs: number): void {
    const known = this.#objects.get(idOf(seen));
    if (known === undefined) return;
    this.#objects.delete(idOf(seen));
    this.#count(known.state, DELETED, nowMs);
  }

  #count(from: string, to: string, nowMs: number): void {
    const name = `${from} ${to}`;
    const move = this.#moves.get(name) ?? { from, to, hour: new HourCount() };
    this.#moves.set(name, move);
    move.hour.add(nowMs);
  }

  /** Returns the objects in a state, or in any, those that have been in it longest first. */
  objects(state: string | undefined): readonly LifecycleObject[] {
    return [...this.#objects.values()]
      .filter((each) => state === undefined || each.state === state)
      .sort((a, b) => a.sinceMs - b.sinceMs || (a.object < b.object ? -1 : 1));
  }

  document(nowMs: number): Pick<LifecycleDocument, 'id' | 'noun' | 'objects' | 'states' | 'transitions'> {
    const { id, noun, states } = this.lifecycle;
    const counts = new Map<string, { objects: number; longestMs: number }>();
    for (const { state, sinceMs } of this.#objects.values()) {
      const count = counts.get(state) ?? { objects: 0, longestMs: 0 };
      counts.set(state, count);
      count.objects++;
      count.longestMs = Math.max(count.longestMs, nowMs - sinceMs);
    }
    return {
      id,
      noun,
      objects: this.#objects.size,
      states: Object.entries<string>(states).map(([state, meaning]) => ({
        state,
        meaning,
        ...(counts.get(state) ?? { objects: 0, longestMs: 0 }),
      })),
      transitions: [...this.#moves.values()]
        .map(({ from, to, hour }) => ({ from, to, taken: hour.total(nowMs) }))
        .filter(({ taken }) => taken > 0),
    };
  }
}
