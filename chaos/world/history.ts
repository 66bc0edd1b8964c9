import { readJson } from '../../api/schema/index.ts';
import type { ApiObject, DeepReadonly, Scheme } from '../../api/kinds/index.ts';
import type { DeleteOptions } from '../../api/types/meta-v1.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Change, Storage } from '../../apiserver/storage/index.ts';
import { type Commit, type LiveView, namedIn, resourceOf } from '../invariants/invariant.ts';
import type { Serving } from './parties.ts';

type Stored = DeepReadonly<ApiObject>;

/** Present and past contents of the API server's store, as objects. */
export interface History {
  readonly live: LiveView;
  /** Returns the names of the resources that are stored, for reports. */
  resources(): readonly string[];
}

export interface HistoryOptions {
  readonly storage: Storage;
  readonly scheme: Scheme;
  readonly initial: Objects;
  /** Returns the API server's wall time. */
  readonly nowMs: () => number;
  readonly step: () => number;
  /** Returns the timeline's time in milliseconds. */
  readonly timelineMs: () => number;
  readonly serving: () => Serving | undefined;
  readonly onCommit: (commit: Commit) => void;
}

/** Objects by resource (in the format of `resourceOf`), then by `namespace/name`. */
export type Objects = ReadonlyMap<string, ReadonlyMap<string, Stored>>;

interface Place {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Creates a parser for storage keys: `/registry/<served group or core>/<plural>/[<namespace>/]<name>`. */
function createKeyReader(scheme: Scheme): (key: string) => Place | undefined {
  const kinds = new Map(
    scheme.kinds.map((kind) => {
      const group = scheme.vocabulary.group(kind.group);
      return [`${group === '' ? 'core' : group}/${kind.plural}`, resourceOf(kind)];
    }),
  );
  return (key) => {
    const [, root, group, plural, ...rest] = key.split('/');
    if (root !== 'registry' || group === undefined || plural === undefined) return undefined;
    const resource = kinds.get(`${group}/${plural}`) ?? `${group === 'core' ? '' : group}/${plural}`;
    const [namespace = '', name] = rest;
    return name === undefined ? { resource, namespace: '', name: namespace } : { resource, namespace, name };
  };
}

/** Returns the items of a store grouped by resource and by namespace and name. */
export function objectsIn(
  items: readonly { readonly key: string; readonly object: Stored }[],
  scheme: Scheme,
): Objects {
  const place = createKeyReader(scheme);
  const objects = new Map<string, Map<string, Stored>>();
  for (const { key, object } of items) {
    const at = place(key);
    if (at === undefined) continue;
    const { resource, namespace, name } = at;
    let named = objects.get(resource);
    if (named === undefined) objects.set(resource, (named = new Map()));
    named.set(`${namespace}/${name}`, object);
  }
  return objects;
}

export const parseStored = (value: Buffer): Stored => readJson(value.toString()) as Stored;

/** Commit verb for each request verb. */
export const commitVerbs: Readonly<Record<string, Commit['verb']>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

/** Returns a live view of objects; each call sees their current state. */
export const liveViewOf = (objects: Objects, nowMs: () => number): LiveView => new View(objects, nowMs);

class View implements LiveView {
  readonly #objects: Objects;
  readonly #nowMs: () => number;

  constructor(objects: Objects, nowMs: () => number) {
    this.#objects = objects;
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  get(resource: string, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(resource)?.get(`${namespace}/${name}`);
  }

  list(resource: string, namespace?: string): readonly Stored[] {
    const all = this.#objects.get(resource);
    if (all === undefined) return [];
    return namespace === undefined
      ? [...all.values()]
      : [...all].flatMap(([key, object]) => (key.startsWith(`${namespace}/`) ? [object] : []));
  }
}

/**
 * Live view that caches its lists until they change, because invariants repeat the same queries at each
 * commit.
 */
class ListingView extends View {
  /** Cached lists by resource, then by namespace. */
  readonly #lists = new Map<string, Map<string | undefined, readonly Stored[]>>();

  override list(resource: string, namespace?: string): readonly Stored[] {
    const of = this.#lists.get(resource) ?? new Map<string | undefined, readonly Stored[]>();
    this.#lists.set(resource, of);
    const known = of.get(namespace) ?? super.list(resource, namespace);
    of.set(namespace, known);
    return known;
  }

  changed(resource: string): void {
    this.#lists.delete(resource);
  }
}

/**
 * Follows the store from its current revision. When `onCommit` is called, the live view already includes the
 * commit.
 */
export async function followHistory(options: HistoryOptions): Promise<History> {
  const { storage, scheme, initial, nowMs, onCommit } = options;
  const place = createKeyReader(scheme);
  const objects = new Map([...initial].map(([resource, named]) => [resource, new Map(named)]));
  const live = new ListingView(objects, nowMs);
  const onChange = (change: Change): void => {
    const at = place(change.key);
    if (at === undefined) return;
    const key = `${at.namespace}/${at.name}`;
    let named = objects.get(at.resource);
    if (named === undefined) objects.set(at.resource, (named = new Map()));
    live.changed(at.resource);
    const before = named.get(key);
    const after = change.type === 'put' ? parseStored(change.value) : undefined;
    if (after === undefined) named.delete(key);
    else named.set(key, after);
    onCommit(commitOf(at, before, after, options));
  };
  await storage.watch('/registry/', await storage.revision(), { onChange, onEnd: () => {} });
  return { live, resources: () => [...objects.keys()] };
}

function commitOf(
  { resource, namespace, name }: Place,
  before: Stored | undefined,
  after: Stored | undefined,
  { scheme, nowMs, timelineMs, step, serving }: HistoryOptions,
): Commit {
  const request = serving();
  const own = request !== undefined && isTarget(request.info, resource, scheme);
  const happened = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  return {
    step: step(),
    atMs: nowMs(),
    actor: own ? request.party.actor : 'apiserver',
    node: own ? request.party.process.name : undefined,
    verb: own ? (commitVerbs[request.info.verb] ?? happened) : happened,
    resource,
    subresource: own && request.info.subresource !== '' ? request.info.subresource : undefined,
    namespace,
    name,
    uid: (after ?? before)?.metadata?.uid ?? '',
    sentMs: own ? nowMs() - timelineMs() + request.sentMs : undefined,
    abandoned: own && request.abandoned,
    decidedOn: own ? decidedOn(request) : undefined,
    before,
    after,
  };
}

/** Returns the version on which the client based a write; empty for a creation. */
const decidedOn = ({ info, body }: Serving): NonNullable<Commit['decidedOn']> =>
  body === undefined || info.verb === 'create'
    ? {}
    : decidedIn(info, readJson(typeof body === 'string' ? body : Buffer.from(body).toString()));

/**
 * Returns the version that a request body names. A deletion has it in the preconditions of its options, other
 * requests have it in the metadata of the object or patch.
 */
export const decidedIn = ({ verb }: RequestInfo, sent: unknown): NonNullable<Commit['decidedOn']> =>
  verb.startsWith('delete') ? ((sent as DeleteOptions | undefined)?.preconditions ?? {}) : namedIn(sent);

/**
 * True if the changed resource is that of the current request. Otherwise the server made the change as a
 * consequence of the request.
 */
export const isTarget = (info: RequestInfo, resource: string, scheme: Scheme): boolean => {
  const kind = scheme.byResource(info.group, info.version, info.resource);
  return (kind === undefined ? `${info.group}/${info.resource}` : resourceOf(kind)) === resource;
};
