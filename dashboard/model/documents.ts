import type { JournalEntry } from '../../runtime/journal/index.ts';
import {
  type ControllerModel,
  type KeyState,
  type Occurrence,
  keyStateOf,
  sinceMsOf,
} from './controller-model.ts';
import { type AttentionDocument, attentionOf } from './attention.ts';
import { type ReplicaDocument, type Share, replicasOf, sharesOf } from './replicas.ts';
import { type AxisDocument, axisOf } from './axis.ts';
import { isInNamespace } from './key-object.ts';
import { BUCKET_MS } from './tally.ts';
import type {
  ControllerFacts,
  InformerFacts,
  LeaderFacts,
  QueueFacts,
  ResourceName,
  ServerFacts,
  View,
} from './view.ts';

/** All controllers of a process, with its informers and server. */
export interface Overview {
  readonly kind: 'Overview';
  readonly atMs: number;
  readonly seq: number;
  readonly controllers: readonly Summary[];
  readonly informers: readonly InformerFacts[];
  readonly server?: ServerFacts;
  /** True if processes share their keys over Redis. */
  readonly shared: boolean;
  /** Replicas, this process first. The list is empty for a replayed journal. */
  readonly replicas: readonly ReplicaDocument[];
}

/** One controller in the overview. */
export interface Summary {
  readonly name: string;
  readonly keys: number;
  readonly counts: { readonly [state: string]: number };
  readonly reconcilesPerSecond: number;
  /** Number of reconciles in each five seconds of the last five minutes, oldest first. */
  readonly reconciles: readonly number[];
  /** Number of failed reconciles in the last five minutes. */
  readonly failures: number;
  /** Number of retries in the last five minutes. */
  readonly retries: number;
  /** Number of keys whose last reconcile failed. */
  readonly failing: number;
  /** Reasons why the controller does not run. */
  readonly problems: readonly string[];
  readonly queue?: QueueFacts;
  readonly watches: readonly ResourceName[];
  /** True if the controller's keys are names of objects of the first watch. */
  readonly keyed: boolean;
  readonly leader?: LeaderFacts;
  /** Share of each replica in the reconciles of the last minute. Absent with a single replica. */
  readonly shares?: readonly Share[];
}

/** One controller with the states and transitions of its machine. */
export interface ControllerDocument extends Summary {
  readonly kind: 'Controller';
  readonly atMs: number;
  readonly seq: number;
  readonly states: readonly StateDocument[];
  readonly edges: readonly EdgeDocument[];
}

/** Counts of one state. `visits` and the mean duration are those of the window. */
export interface StateDocument {
  readonly state: string;
  readonly keys: number;
  readonly visits: number;
  readonly meanMs: number;
  readonly longestMs: number;
  readonly outcome?: NonNullable<KeyState['outcome']>;
}

/** Transitions between two states within the window, with the newest of them. */
export interface EdgeDocument {
  readonly from: string;
  readonly to: string;
  readonly taken: number;
  readonly last: readonly Occurrence[];
}

/** A page of a controller's keys. */
export interface KeysDocument {
  readonly kind: 'Keys';
  readonly atMs: number;
  /** Number of keys on all pages. */
  readonly total: number;
  readonly offset: number;
  readonly items: readonly KeyState[];
}

/** One key with its newest entries. */
export interface KeyDocument {
  readonly kind: 'Key';
  readonly atMs: number;
  readonly state?: KeyState;
  readonly watches: readonly ResourceName[];
  readonly keyed: boolean;
  /** The entries of the key, oldest first. */
  readonly entries: readonly JournalEntry[];
}

/** Entries of the journal, oldest first. */
export interface EntriesDocument {
  readonly kind: 'Entries';
  readonly items: readonly JournalEntry[];
}

/** Any document of the journal API. */
export type Document =
  | Overview
  | ControllerDocument
  | KeysDocument
  | KeyDocument
  | EntriesDocument
  | AxisDocument
  | AttentionDocument;

/** Number of buckets over which rates are computed, which are ten seconds. */
const RATE_BUCKETS = 2;
const ROWS = 200;
const ROWS_AT_MOST = 1_000;
const ENTRIES_AT_MOST = 10_000;
const KEY_ENTRIES = 600;

/**
 * Returns the document for a path below `/journal/v1` and its query: `controllers`, `controllers/NAME?window=60`,
 * `controllers/NAME/keys?state=&outcome=&search=&namespace=&offset=&limit=`, `key?controller=&key=`,
 * `entries?controller=&key=&since=&limit=`, `axis?controller=&key=`,
 * `attention?namespace=&controller=&kind=&name=&key=&limit=`. Undefined if the path names no document.
 */
export function documentAt(view: View, path: string, query: URLSearchParams): Document | undefined {
  const [collection = '', name, part, ...rest] = path.split('/');
  if (rest.length > 0) return undefined;
  if (collection === 'entries' && name === undefined) return entriesOf(view, query);
  if (collection === 'attention' && name === undefined) return attentionOf(view, query);
  if (collection === 'key' && name === undefined) return keyOf(view, query);
  if (collection === 'axis' && name === undefined) return axisOf(view, query);
  if (collection !== 'controllers') return undefined;
  if (name === undefined) return overviewOf(view);
  const model = modelOf(view, name);
  if (model === undefined) return undefined;
  if (part === undefined) return controllerOf(view, name, model, windowOf(query));
  return part === 'keys' ? keysOf(view, model, query) : undefined;
}

const factsOf = ({ facts }: View, name: string): ControllerFacts | undefined =>
  facts?.controllers.find((each) => each.name === name);

/**
 * Returns the model of a controller. Returns `idle` if the controller runs and the journal has no entry of
 * it.
 */
const modelOf = (view: View, name: string): ControllerModel | 'idle' | undefined =>
  view.model.controllers.get(name) ?? (factsOf(view, name) && 'idle');

const names = ({ model, facts }: View): readonly string[] =>
  [...new Set([...model.controllers.keys(), ...(facts?.controllers ?? []).map(({ name }) => name)])].sort();

const overviewOf = (view: View): Overview => ({
  kind: 'Overview',
  atMs: view.nowMs,
  seq: view.model.seq,
  controllers: names(view).map((name) => summaryOf(view, name, view.model.controllers.get(name) ?? 'idle')),
  informers: view.facts?.informers ?? [],
  ...(view.facts?.server === undefined ? {} : { server: view.facts.server }),
  shared: view.facts?.shared ?? false,
  replicas: replicasOf(view),
});

function summaryOf(view: View, name: string, model: ControllerModel | 'idle'): Summary {
  const facts = factsOf(view, name);
  const known = {
    name,
    problems: facts?.problems ?? [],
    ...(facts?.queue === undefined ? {} : { queue: facts.queue }),
    watches: facts?.watches ?? [],
    keyed: facts?.keyed ?? false,
    ...(facts?.leader === undefined ? {} : { leader: facts.leader }),
    ...((view.facts?.replicas.length ?? 0) < 2 ? {} : { shares: sharesOf(view, name) }),
  };
  if (model === 'idle')
    return {
      ...known,
      keys: 0,
      counts: {},
      reconcilesPerSecond: 0,
      reconciles: [],
      failures: 0,
      retries: 0,
      failing: 0,
    };
  const reconciles = model.reconciles.series(view.nowMs);
  const last = reconciles.slice(-RATE_BUCKETS).reduce((sum, each) => sum + each, 0);
  let failing = 0;
  for (const { outcome } of model.keys.values()) if (outcome === 'failed') failing++;
  return {
    ...known,
    keys: model.keys.size,
    counts: Object.fromEntries([...model.counts].filter(([, count]) => count > 0)),
    reconcilesPerSecond: last / ((RATE_BUCKETS * BUCKET_MS) / 1_000),
    reconciles,
    failures: model.failures.within(view.nowMs, 300_000),
    retries: model.retries.within(view.nowMs, 300_000),
    failing,
  };
}

/**
 * Returns the window in milliseconds. Without a positive number of seconds in the query, it is infinite,
 * which means since the start.
 */
function windowOf(query: URLSearchParams): number {
  const seconds = Number(query.get('window') ?? 'all');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}

function controllerOf(
  view: View,
  name: string,
  model: ControllerModel | 'idle',
  windowMs: number,
): ControllerDocument {
  const within = (tally: { within(nowMs: number, windowMs: number): number }): number =>
    tally.within(view.nowMs, windowMs);
  return {
    ...summaryOf(view, name, model),
    kind: 'Controller',
    atMs: view.nowMs,
    seq: view.model.seq,
    states: [...(model === 'idle' ? [] : model.states)].map(
      ([state, { visits, ms, longestMs, outcome }]) => ({
        state,
        keys: model === 'idle' ? 0 : (model.counts.get(state) ?? 0),
        visits: within(visits),
        meanMs: within(visits) === 0 ? 0 : within(ms) / within(visits),
        longestMs,
        ...(outcome === undefined ? {} : { outcome }),
      }),
    ),
    edges: [...(model === 'idle' ? [] : model.edges())].map(({ from, to, taken, last }) => ({
      from,
      to,
      taken: within(taken),
      last,
    })),
  };
}

const numberIn = (query: URLSearchParams, name: string, fallback: number, most: number): number => {
  const value = Number(query.get(name) ?? fallback);
  return Number.isSafeInteger(value) && value >= 0 ? Math.min(value, most) : fallback;
};

/** Returns a page of keys, sorted by the time at which each key entered its state. */
function keysOf(view: View, model: ControllerModel | 'idle', query: URLSearchParams): KeysDocument {
  const state = query.get('state');
  const outcome = query.get('outcome');
  const search = query.get('search') ?? '';
  const namespace = query.get('namespace') ?? '';
  const offset = numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER);
  const limit = numberIn(query, 'limit', ROWS, ROWS_AT_MOST);
  const found = [...(model === 'idle' ? [] : model.keys.values())].filter(
    (each) =>
      each.state !== '' &&
      (state === null || each.state === state || each.state.startsWith(`${state}.`)) &&
      (outcome === null || each.outcome === outcome) &&
      each.key.includes(search) &&
      isInNamespace(each.key, namespace),
  );
  found.sort((a, b) => sinceMsOf(a) - sinceMsOf(b) || (a.key < b.key ? -1 : 1));
  const items = found.slice(offset, offset + limit).map(keyStateOf);
  return { kind: 'Keys', atMs: view.nowMs, total: found.length, offset, items };
}

function keyOf(view: View, query: URLSearchParams): KeyDocument {
  const controller = query.get('controller') ?? '';
  const key = query.get('key') ?? '';
  const known = view.model.controllers.get(controller)?.keys.get(key);
  const facts = factsOf(view, controller);
  return {
    kind: 'Key',
    atMs: view.nowMs,
    ...(known === undefined ? {} : { state: keyStateOf(known) }),
    watches: facts?.watches ?? [],
    keyed: facts?.keyed ?? false,
    entries: view.entries({ controller, key, limit: KEY_ENTRIES }),
  };
}

function entriesOf(view: View, query: URLSearchParams): EntriesDocument {
  const controller = query.get('controller');
  const key = query.get('key');
  const items = view.entries({
    ...(controller === null ? {} : { controller }),
    ...(key === null ? {} : { key }),
    ...(query.has('since') ? { since: numberIn(query, 'since', 0, Number.MAX_SAFE_INTEGER) } : {}),
    limit: numberIn(query, 'limit', 1_000, ENTRIES_AT_MOST),
  });
  return { kind: 'Entries', items };
}
