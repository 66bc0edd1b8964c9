import { type Timer, backoffMs, sleep } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type ControllerContext,
  type DiscoveredResource,
  type Watch,
  discover,
} from '../../runtime/index.ts';
import { tellForeignOwners } from './foreign-owners.ts';
import { type Followed, type Graph, createGraph } from './graph.ts';
import { createUnservedOwners } from './unserved-owners.ts';

/** What the collector follows, kept up with what the server serves. */
export interface Following {
  readonly graph: Graph;
  /** Of kinds that are there for good: the collector does nothing before their caches are in. */
  readonly first: readonly Followed[];
  /** Resolves when the caches of kinds that came later are in, or have had their time. */
  settled(): Promise<void>;
}

/** After a refresh that could not read everything. */
const RETRY_MS = 30_000;
/** Definitions are often made several at a time. */
const SOON_MS = 1_000;
/** A kind that cannot be listed (its webhook, its server is gone) holds the others back no longer than this. */
const PATIENCE_MS = 30_000;

type Discovered = readonly DiscoveredResource[];

interface Found {
  readonly resources: Discovered;
  /** Group versions that could not be read: what they serve is unknown. */
  readonly unread: ReadonlySet<string>;
}

/** Asks what there is, follows it, and asks again every `refreshMs` and when a definition or an API service changes. */
export async function follow(
  context: ControllerContext,
  watchOf: (graph: Graph, followed: Followed) => Watch,
  refreshMs: number,
): Promise<Following> {
  const { client, informers } = context;
  const graph = createGraph(client, informers);
  const ends = new Map<Followed, () => void>();
  const tellOf = listening(context, graph);
  const settling = new Set<Promise<void>>();
  let { resources: known } = await discoverAtStart(context);

  const isBuiltIn = ({ resource: { group, version, plural } }: Followed): boolean =>
    client.scheme.byResource(group, version, plural) !== undefined;
  const start = (followed: Followed): void => {
    ends.set(followed, context.follow(watchOf(graph, followed)));
    const settled = settle(context, followed).finally(() => {
      settling.delete(settled);
      // Nothing could be told of an owner whose kind nobody served; one that has gone since sends no event.
      for (const key of graph.missing(followed.resource)) context.enqueue(key);
    });
    settling.add(settled);
  };
  /** False when something could not be read. */
  const refresh = async (): Promise<boolean> => {
    tellOf.discoveryBegins();
    const { resources, unread } = await discoverAgain(context, known);
    const isWhole = unread.size === 0;
    if (resources === known) {
      tellOf.discoveryEnded(unread);
      return isWhole;
    }
    known = resources;
    const { added, removed } = graph.replace(known);
    added.forEach(tellOf.begin);
    added.forEach(start);
    for (const followed of removed) {
      tellOf.end(followed);
      ends.get(followed)?.();
      ends.delete(followed);
      await informers.release(followed.kind);
    }
    tellOf.reassess();
    tellOf.discoveryEnded(unread);
    return isWhole;
  };

  const { added } = graph.replace(known);
  added.forEach(tellOf.begin);
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

/** Looks through the objects that are followed for owner references to report, unless events are silent. */
function listening(context: ControllerContext, graph: Graph) {
  const { events, signal } = context;
  const ends = new Map<Followed, () => void>();
  const isSilent = events.silent === true;
  const foreignOwners = isSilent ? undefined : tellForeignOwners(events);
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

/** Whether objects of a resource say that other resources come and go. */
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

/** Runs `refresh` every `refreshMs`, soon after an announcement, and never twice at a time. */
function repeat(
  { clock, log, signal }: ControllerContext,
  refresh: () => Promise<boolean>,
  refreshMs: number,
  announcing: readonly Followed[],
): void {
  let timer: Timer | undefined;
  let running = false;
  let again = false;
  const arm = (delayMs: number): void => {
    clock.clearTimeout(timer);
    if (!signal.aborted) timer = clock.setTimeout(() => void run(), delayMs);
  };
  const run = async (): Promise<void> => {
    running = true;
    again = false;
    const isWhole = await refresh().catch((thrown: unknown) => {
      log.warn({ err: messageOf(thrown) }, 'discovery failed');
      return false;
    });
    running = false;
    arm(again ? SOON_MS : isWhole ? refreshMs : RETRY_MS);
  };
  const soon = (): void => {
    if (running) again = true;
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

/** Tries until every group of the program's own could be read: a kind that is not followed is a kind whose garbage stays. */
async function discoverAtStart({ client, clock, random, log, signal }: ControllerContext): Promise<Found> {
  const own = new Set(client.scheme.kinds.map((kind) => client.scheme.apiVersionOf(kind)));
  for (let attempt = 1; ; attempt++) {
    const problem = await discover(client, signal).then(({ resources, failures }): Found | string => {
      const failure = failures.find(({ groupVersion }) => own.has(groupVersion));
      if (failure) return `${failure.groupVersion}: ${failure.message}`;
      return { resources, unread: new Set(failures.map(({ groupVersion }) => groupVersion)) };
    }, messageOf);
    if (typeof problem !== 'string') return problem;
    signal.throwIfAborted();
    log.warn({ err: problem, attempt }, 'discovery failed');
    await sleep(clock, backoffMs(attempt, random), signal);
  }
}

/** What is served now; of groups that cannot be read, what was served before. */
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
