import type { Change } from '../../../apiserver/storage/storage.ts';

/** Selection of objects by a list or watch; '' for an absent condition. */
export interface View {
  readonly namespace: string;
  /** `color=red`, `color!=red` or `color`. */
  readonly labelSelector: string;
  /** `metadata.name=x` or `metadata.name!=x`. */
  readonly fieldSelector: string;
}

export interface Seen {
  readonly type: string;
  /** The object as JSON, keys sorted. */
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

/** Independent parser of the selectors that the histories use; shares no code with the server. */
export function matches({ namespace, labelSelector, fieldSelector }: View, { metadata }: Item): boolean {
  if (namespace !== '' && metadata.namespace !== namespace) return false;
  const color = metadata.labels?.color;
  if (labelSelector === 'color' && color === undefined) return false;
  if (labelSelector === 'color=red' && color !== 'red') return false;
  if (labelSelector === 'color!=red' && color === 'red') return false;
  const [, operator, name] = /^metadata\.name(!?=)(.*)$/.exec(fieldSelector) ?? [];
  return operator === undefined || (metadata.name === name) === (operator === '=');
}

/** Objects as of `revision`, ordered by key. */
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

/** Synthetic initial events of a watch of `view` at `revision`, ordered by key. */
export const initialEvents = (truth: readonly Change[], view: View, revision: number): readonly Seen[] =>
  [...stateAt(truth, revision).values()]
    .map(parse)
    .filter((item) => matches(view, item))
    .map((item) => seen('ADDED', item));

/** Events that a watch of `view` shows for the changes after `revision`. */
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

/** Deletion event of an object that left the selection: its last selected state, at the version of the change. */
const withVersion = (item: Item, revision: number): Item => ({
  ...item,
  metadata: { ...item.metadata, resourceVersion: String(revision) },
});
