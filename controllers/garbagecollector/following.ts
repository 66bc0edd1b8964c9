import { type Timer, backoffMs, sleep } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type ControllerContext,
  type DiscoveredResource,
  type Logger,
  type Watch,
  discover,
  isClientError,
} from '../../runtime/index.ts';
import { reportForeignOwners } from './foreign-owners.ts';
import { type Followed, type Graph, createGraph } from './graph.ts';
import { createUnservedOwners } from './unserved-owners.ts';

/** Resources that the collector follows: those that the server serves, updated by discovery. */
export interface Following {
  readonly graph: Graph;
  /** Resources of built-in kinds, whose caches must be filled before the collector starts. */
  readonly first: readonly Followed[];
  /** Resolves when the caches of resources added later are filled or their time limit has passed. */
  settled(): Promise<void>;
}

/** Delay in milliseconds after a discovery that could not read every group. */
const RETRY_MS = 30_000;
/**
 * Delay in milliseconds after a change of a definition, because several definitions are often created
 * together.
 */
const SOON_MS = 1_000;
/**
 * Maximum time in milliseconds to wait for the cache of one kind. The cache is not filled while, for example,
 * the kind's conversion webhook or API server is down.
 */
const PATIENCE_MS = 30_000;

type Discovered = readonly DiscoveredResource[];

interface Found {
  readonly resources: Discovered;
  /** Group versions whose resources could not be read. */
  readonly unread: ReadonlySet<string>;
}

/**
 * Discovers the served resources and follows them. Repeats the discovery every `refreshMs` milliseconds, and
 * soon after a CustomResourceDefinition or an APIService changes.
 */
export async function follow(
  context: ControllerContext,
  watchOf: (graph: Graph, followed: Followed) => Watch,
  refreshMs: number,
): Promise<Following> {
  const { client, informers } = context;
  const graph = createGraph(client, informers);
  const ends = new Map<Followed, () => void>();
  const reporting = listening(context, graph);
  const settling = new Set<Promise<void>>();
  let { resources: known } = await discoverAtStart(context);

  const isBuiltIn = ({ resource: { group, version, plural } }: Followed): boolean =>
    client.scheme.byResource(group, version, plural) !== undefined;
  const start = (followed: Followed): void => {
    ends.set(followed, context.follow(watchOf(graph, followed)));
    const settled = settle(context, followed).finally(() => {
      settling.delete(settled);
      // An owner of a kind that is not followed counts as existing, and its deletion sends no event, so its
      // dependents are enqueued now.
      for (const key of graph.missing(followed.resource)) context.enqueue(key);
    });
    settling.add(settled);
  };
  /** Discovers once. Returns false if a group could not be read. */
  const refresh = async (): Promise<boolean> => {
    reporting.discoveryBegins();
    const { resources, unread } = await discoverAgain(context, known);
    const isWhole = unread.size === 0;
    if (resources === known) {
      reporting.discoveryEnded(unread);
      return isWhole;
    }
    known = resources;
    const { added, removed } = graph.replace(known);
    added.forEach(reporting.begin);
    added.forEach(start);
    for (const followed of removed) {
      reporting.end(followed);
      ends.get(followed)?.();
      ends.delete(followed);
      await informers.release(followed.kind);
    }
    reporting.reassess();
    reporting.discoveryEnded(unread);
    return isWhole;
  };

  const { added } = graph.replace(known);
  added.forEach(reporting.begin);
  const first = added.filter(isBuiltIn);
  added.filter((followed) => !isBuiltIn(followed)).forEach(start);
  repeat(context, refresh, refreshMs, first.filter(announces(context)));
  return {
    graph,
    first,
    settled: async () => {
      while (settling.size > 0) await Promise.all(settling);
    },
  };
}

/**
 * Subscribes to followed objects to report invalid and unserved owner references. Does nothing if events are
 * silent.
 */
function listening(context: ControllerContext, graph: Graph) {
  const { events, signal } = context;
  const ends = new Map<Followed, () => void>();
  const isSilent = events.silent === true;
  const foreignOwners = isSilent ? undefined : reportForeignOwners(events);
  const unserved = isSilent ? undefined : createUnservedOwners(context, graph);
  const handlersOf = (followed: Followed) =>
    [foreignOwners?.(followed), unserved?.handlerOf(followed)].filter((each) => each !== undefined);
  signal.addEventListener('abort', () => ends.forEach((end) => end()), { once: true });
  return {
    begin(followed: Followed): void {
      const subscribed = handlersOf(followed).map((handler) => followed.informer.subscribe(handler));
      if (subscribed.length > 0) ends.set(followed, () => subscribed.forEach((end) => end()));
    },
    end(followed: Followed): void {
      ends.get(followed)?.();
      ends.delete(followed);
      if (!followed.informer.synced) return;
      const handlers = handlersOf(followed);
      for (const object of followed.informer.store.list())
        for (const handler of handlers) handler.onDelete(object);
    },
    reassess: () => unserved?.reassess(ends.keys()),
    discoveryBegins: () => unserved?.discoveryBegins(),
    discoveryEnded: (unread: ReadonlySet<string>) => unserved?.discoveryEnded(unread),
  };
}

/**
 * Returns a predicate that is true for the resources whose objects define resources:
 * CustomResourceDefinitions and APIServices.
 */
const announces =
  ({ scheme: { vocabulary } }: ControllerContext) =>
  ({ resource: { group, plural } }: Followed): boolean =>
    (plural === 'customresourcedefinitions' && group === vocabulary.group('apiextensions')) ||
    (plural === 'apiservices' && group === vocabulary.group('apiregistration'));

async function settle({ clock, signal }: ControllerContext, { informer }: Followed): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const quiet = (): undefined => undefined;
  await Promise.race([informer.ready(either).catch(quiet), sleep(clock, PATIENCE_MS, either).catch(quiet)]);
  done.abort(new Error('settled'));
}

/**
 * Runs `refresh` every `refreshMs` milliseconds and soon after a change of a definition, one call at a time.
 */
function repeat(
  { clock, log, signal }: ControllerContext,
  refresh: () => Promise<boolean>,
  refreshMs: number,
  announcing: readonly Followed[],
): void {
  let timer: Timer | undefined;
  let running = false;
  let isRequested = false;
  const arm = (delayMs: number): void => {
    clock.clearTimeout(timer);
    if (!signal.aborted) timer = clock.setTimeout(() => void run(), delayMs);
  };
  const run = async (): Promise<void> => {
    running = true;
    isRequested = false;
    const isWhole = await refresh().catch((thrown: unknown) => {
      logFailure(log, thrown);
      return false;
    });
    running = false;
    arm(isRequested ? SOON_MS : isWhole ? refreshMs : RETRY_MS);
  };
  const soon = (): void => {
    if (running) isRequested = true;
    else arm(SOON_MS);
  };
  arm(refreshMs);
  const ends = announcing.map(({ informer }) => informer.subscribe({ onApply: soon, onDelete: soon }));
  signal.addEventListener(
    'abort',
    () => {
      clock.clearTimeout(timer);
      for (const end of ends) end();
    },
    { once: true },
  );
}

/** Logs a failure of discovery. The informers log that the API server is unreachable. */
const logFailure = (log: Logger, thrown: unknown): void => {
  const level = isClientError(thrown, 'ERR_UNREACHABLE') ? 'debug' : 'warn';
  log[level]({ err: messageOf(thrown) }, 'discovery failed');
};

/**
 * Discovers until every group with a built-in kind could be read, because objects of a kind that is not
 * followed are never collected.
 */
async function discoverAtStart({ client, clock, random, log, signal }: ControllerContext): Promise<Found> {
  const own = new Set(client.scheme.kinds.map((kind) => client.scheme.apiVersionOf(kind)));
  for (let attempt = 1; ; attempt++) {
    try {
      const { resources, failures } = await discover(client, signal);
      const failure = failures.find(({ groupVersion }) => own.has(groupVersion));
      if (failure === undefined)
        return { resources, unread: new Set(failures.map(({ groupVersion }) => groupVersion)) };
      log.warn({ err: `${failure.groupVersion}: ${failure.message}`, attempt }, 'discovery failed');
    } catch (thrown) {
      signal.throwIfAborted();
      logFailure(log, thrown);
    }
    await sleep(clock, backoffMs(attempt, random), signal);
  }
}

/**
 * Returns the resources that are served now. For groups that cannot be read, returns the resources that were
 * served before.
 */
async function discoverAgain({ client, signal }: ControllerContext, known: Discovered): Promise<Found> {
  const { resources, failures } = await discover(client, signal);
  const unread = new Set(failures.map(({ groupVersion }) => groupVersion));
  if (unread.size === 0) return { resources, unread };
  const nameOf = ({ group, version }: DiscoveredResource): string =>
    group === '' ? version : `${group}/${version}`;
  return {
    resources: [...resources, ...known.filter((each) => unread.has(nameOf(each)))],
    unread,
  };
}
