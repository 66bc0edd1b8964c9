import type { Change } from '../../../apiserver/storage/storage.ts';

/** Selection of objects by a list or watch. A missing condition is ''. */
export interface View {
  readonly namespace: string;
  /** Label selector: `color=red`, `color!=red` or `color`. */
  readonly labelSelector: string;
  /** Field selector: `metadata.name=x` or `metadata.name!=x`. */
  readonly fieldSelector: string;
}

export interface Seen {
  readonly type: string;
  /** The object as JSON with sorted keys. */
  readonly object: string;
  readonly version: number;
}

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly color?: string };
  };
}

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

export const canonical = (value: unknown): string => JSON.stringify(value, sorted);

const parse = (bytes: Buffer): Item => JSON.parse(bytes.toString('utf8')) as Item;

/**
 * True if an object matches the selectors that the histories use. This implementation shares no code with the
 * server.
 */
export function matches({ namespace, labelSelector, fieldSelector }: View, { metadata }: Item): boolean {
  if (namespace !== '' && metadata.namespace !== namespace) return false;
  const color = metadata.labels?.color;
  if (labelSelector === 'color' && color === undefined) return false;
  if (labelSelector === 'color=red' && color !== 'red') return false;
  if (labelSelector === 'color!=red' && color === 'red') return false;
  const [, operator, name] = /^metadata\.name(!?=)(.*)$/.exec(fieldSelector) ?? [];
  return operator === undefined || (metadata.name === name) === (operator === '=');
}

/** Returns the objects at `revision`, ordered by key. */
export function stateAt(truth: readonly Change[], revision: number): ReadonlyMap<string, Buffer> {
  const state = new Map<string, Buffer>();
  for (const change of truth) {
    if (change.revision > revision) break;
    if (change.type === 'put') state.set(change.key, change.value);
    else state.delete(change.key);
  }
  return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const seen = (type: string, item: Item): Seen => ({
  type,
  object: canonical(item),
  version: Number(item.metadata.resourceVersion),
});

/** Returns the synthetic initial events of a watch of `view` at `revision`, ordered by key. */
export const initialEvents = (truth: readonly Change[], view: View, revision: number): readonly Seen[] =>
  [...stateAt(truth, revision).values()]
    .map(parse)
    .filter((item) => matches(view, item))
    .map((item) => seen('ADDED', item));

/** Returns the events that a watch of `view` sends for the changes after `revision`. */
export function eventsAfter(truth: readonly Change[], view: View, revision: number): readonly Seen[] {
  const events: Seen[] = [];
  for (const { type, revision: at, value, previous } of truth) {
    if (at <= revision) continue;
    const item = parse(value);
    const before = previous && parse(previous.value);
    const was = before !== undefined && matches(view, before);
    const is = type === 'put' && matches(view, item);
    if (is) events.push(seen(was ? 'MODIFIED' : 'ADDED', item));
    else if (was) events.push(seen('DELETED', type === 'delete' ? item : withVersion(before, at)));
  }
  return events;
}

/**
 * Returns the object of the deletion event when an object leaves the selection: its last selected state with
 * the version of the change.
 */
const withVersion = (item: Item, revision: number): Item => ({
  ...item,
  metadata: { ...item.metadata, resourceVersion: String(revision) },
});
