import { isRecord } from '../../base/collections/index.ts';
import { keyOf, keyOfObject, objectIn } from './keys.ts';
import type { WireEntry, WireObject, WireRequest } from './wire-history.ts';

/** State of one object, as the client received it. */
export interface Belief {
  /** Position in the history at which the state was delivered. */
  readonly seq: number;
  /** Incarnation of the client that received the state. */
  readonly run: number;
  /** The object. Undefined if the client was informed that the object does not exist. */
  readonly object: WireObject | undefined;
  /** Revision of the object, or of the list that lacks the object; 0 if unknown. */
  readonly revision: number;
}

/** A response or event and its position in the order of delivery. */
interface Delivery {
  readonly seq: number;
  readonly run: number;
  readonly entry: Exclude<WireEntry, { readonly type: 'process' | 'user' | 'fault' }>;
}

/** All states of objects that the client received. */
export class Beliefs {
  /** Beliefs by object, in the order of delivery. */
  readonly #byKey = new Map<string, Belief[]>();

  constructor(entries: readonly WireEntry[]) {
    const deliveries = entries.flatMap((entry): readonly Delivery[] => {
      if (entry.type === 'event') return [{ seq: entry.seq, run: entry.run, entry }];
      if (entry.type !== 'request' || entry.deliveredSeq === undefined) return [];
      return [{ seq: entry.deliveredSeq, run: entry.run, entry }];
    });
    for (const each of deliveries.sort((a, b) => a.seq - b.seq)) this.#take(each);
  }

  /** Returns the last state of an object that an incarnation received before `seq`. */
  of(run: number, key: string, seq: number): Belief | undefined {
    return this.#byKey.get(key)?.findLast((each) => each.run === run && each.seq < seq);
  }

  /** Returns all states of an object that any incarnation received before `seq`. */
  before(key: string, seq: number): readonly Belief[] {
    return (this.#byKey.get(key) ?? []).filter((each) => each.seq < seq);
  }

  /** Returns the keys of the objects whose state an incarnation received before `seq`. */
  keys(run: number, seq: number): readonly string[] {
    return [...this.#byKey].flatMap(([key, all]) =>
      all.some((each) => each.run === run && each.seq < seq) ? [key] : [],
    );
  }

  #take({ seq, run, entry }: Delivery): void {
    if (entry.type === 'event') {
      if (entry.event === 'BOOKMARK' || entry.event === 'ERROR') return;
      const object = entry.event === 'DELETED' ? undefined : entry.object;
      this.#add(keyOfObject(entry.resource, entry.object), {
        seq,
        run,
        object,
        revision: revisionOf(entry.object),
      });
      return;
    }
    const { status, body } = entry.delivered ?? { status: 0 };
    if (status === 404 && entry.name !== '' && entry.subresource === '')
      this.#add(keyOf(entry.resource, entry.namespace, entry.name), {
        seq,
        run,
        object: undefined,
        revision: 0,
      });
    if (status < 200 || status >= 300) return;
    if (entry.verb === 'list') this.#takeList(seq, run, entry, body);
    else this.#takeObject(seq, run, entry, objectIn(body));
  }

  #takeObject(seq: number, run: number, entry: WireRequest, object: WireObject | undefined): void {
    const key = keyOf(entry.resource, entry.namespace, entry.name || (object?.metadata.name ?? ''));
    const isRemoved = entry.verb === 'delete' && object?.metadata.deletionTimestamp === undefined;
    // Responses of other subresources, such as a token or a scale, are not states of the object.
    if (entry.subresource !== '' && entry.subresource !== 'status') return;
    if (isRemoved) this.#add(key, { seq, run, object: undefined, revision: 0 });
    else if (object !== undefined) this.#add(key, { seq, run, object, revision: revisionOf(object) });
  }

  #takeList(seq: number, run: number, entry: WireRequest, body: unknown): void {
    const revision = revisionOf(objectIn(body));
    const items = itemsOf(body);
    const listed = new Set<string>();
    for (const object of items) {
      const key = keyOfObject(entry.resource, object);
      listed.add(key);
      this.#add(key, { seq, run, object, revision: revisionOf(object) });
    }
    const isWhole = !(
      'labelSelector' in entry.query ||
      'fieldSelector' in entry.query ||
      'continue' in entry.query
    );
    if (!isWhole || isPartOfPages(body)) return;
    const within = keyOf(entry.resource, entry.namespace, '');
    for (const key of this.keys(run, seq))
      if (key.startsWith(within) && !listed.has(key) && this.of(run, key, seq)?.object !== undefined)
        this.#add(key, { seq, run, object: undefined, revision });
  }

  #add(key: string, belief: Belief): void {
    const all = this.#byKey.get(key);
    if (all === undefined) this.#byKey.set(key, [belief]);
    else all.push(belief);
  }
}

const revisionOf = (object: WireObject | undefined): number => Number(object?.metadata.resourceVersion ?? 0);

/** True if the body is one page of a list. An object that is absent from the page may still exist. */
const isPartOfPages = (body: unknown): boolean => (objectIn(body)?.metadata['continue'] ?? '') !== '';

/** Returns the objects of a list. In a `Table`, the rows contain the objects. */
function itemsOf(body: unknown): readonly WireObject[] {
  if (!isRecord(body)) return [];
  const rows = Array.isArray(body['rows']) ? body['rows'] : [];
  const items = Array.isArray(body['items'])
    ? body['items']
    : rows.map((row: unknown) => isRecord(row) && row['object']);
  return items.flatMap((item) => objectIn(item) ?? []);
}
