import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import {
  type Client,
  type ControllerContext,
  type ControllerDefinition,
  type ControllerManager,
  type Informer,
  type Journal,
  type LeaseFence,
  type WorkQueueFactory,
  createClient,
  createControllerManager,
  createEventRecorder,
  createInformers,
  createMemoryQueues,
  createServerClock,
  fenceWrites,
  leaseHeld,
} from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { Credentials } from './credentials.ts';
import type { Network } from './network.ts';
import type { Process } from './timeline.ts';

export interface ControllerProcessOptions {
  readonly process: Process;
  readonly seed: number;
  readonly scheme: Scheme;
  readonly network: Network;
  readonly credentials: Credentials;
  readonly definitions: readonly ControllerDefinition[];
  /** As `--controllers` takes them. */
  readonly selection: readonly string[];
  readonly journal: Journal;
  /** Where its keys are; default in the process itself. */
  readonly queuesFor?: ((environment: Environment) => WorkQueueFactory) | undefined;
  /** Whether Events are sent; what is recorded waits otherwise. */
  readonly events: boolean;
  /** By which other processes know this one where controllers are run under leases; undefined for no leases. */
  readonly identity?: string | undefined;
}

/** One life of a controller manager. */
export interface ControllerProcess {
  readonly process: Process;
  readonly manager: ControllerManager;
  /** Keys that the controllers have worked on or are to work on. */
  keys(): readonly { readonly controller: string; readonly key: string }[];
  /** Everything its caches hold: what it believes. */
  caches(): readonly Cache[];
}

export interface Cache {
  readonly resource: string;
  readonly synced: boolean;
  readonly objects: readonly DeepReadonly<ApiObject>[];
}

/** Longer than programs ask for: virtual hours pass quickly, and most of them would be watches that begin anew. */
const WATCH_SECONDS = 3_600;
/** Longer than the longest of them: what a server without bookmarks leaves silent is no sign of anything. */
const QUIET_SERVER_MS = 2 * WATCH_SECONDS * 1_000 + 60_000;
/** Longer than programs take, for the same reason; shorter than a process may stand still. */
const LEASES = { leaseDurationMs: 290_000, renewDeadlineMs: 200_000, retryPeriodMs: 90_000 };
/** Some look at everything again every five minutes, which mends what they forgot before anybody sees it: here not so soon. */
const SHORTEST_RESYNC_MS = 15 * 60_000;

/** Starts the controllers of one process. Each has a client of its own, so that it is known whose request is whose. */
export function startControllers(options: ControllerProcessOptions): ControllerProcess {
  const {
    process,
    scheme,
    network,
    credentials,
    selection,
    journal,
    queuesFor = createMemoryQueues,
  } = options;
  const environment = {
    clock: process.clock,
    random: createSeededRandom(options.seed),
    log: silentLogger,
  };
  // A program has one client: what it knows of the server's time all of its parts know.
  const serverClock = createServerClock(process.clock);
  const fences = new WeakMap<Client, LeaseFence>();
  const clientOf = (actor: string, fence?: LeaseFence): Client => {
    const transport = network.transport({
      process,
      actor,
      peer: credentials.controllerManager,
      faulty: true,
    });
    const client = createClient({
      serverClock,
      scheme,
      transport: fence === undefined ? transport : fenceWrites(transport, fence, leaseHeld(scheme)),
      userAgent: actor,
      ...environment,
    });
    if (fence !== undefined) fences.set(client, fence);
    return client;
  };
  const shared = clientOf(process.name);
  const informers = createInformers({
    client: shared,
    watchSeconds: WATCH_SECONDS,
    reflector: { quietServerMs: QUIET_SERVER_MS },
    ...environment,
  });
  const component = `${scheme.vocabulary.short}-controller-manager`;
  const events = createEventRecorder({ client: clientOf('events'), scheme, component, ...environment });
  const keys = new Map<string, Set<string>>();
  const manager = createControllerManager({
    controllers: options.definitions.map((definition) =>
      withClient(definition, (given) => clientOf(definition.name, fences.get(given))),
    ),
    selection,
    client: shared,
    scheme,
    informers,
    queues: notingKeys(queuesFor(environment), keys),
    events,
    environment,
    journal,
    before: options.events ? [informers, events] : [informers],
    ...(options.identity !== undefined && {
      leaderElection: {
        ...LEASES,
        identity: options.identity,
        namespace: scheme.vocabulary.namespaces.system,
        resourceName: component,
        all: options.queuesFor === undefined,
        clientFor: (fence) => clientOf(process.name, fence),
      },
    }),
  });
  // Rejects only for definitions that do not fit their machines; a process that dies meanwhile never settles it.
  void manager.start();
  return {
    process,
    manager,
    keys: () => [...keys].flatMap(([controller, of]) => [...of].map((key) => ({ controller, key }))),
    caches: () =>
      [...new Map(informers.all().map((each) => [resourceOf(each.kind), each])).values()].map(cacheOf),
  };
}

const cacheOf = ({ kind, synced, store }: Informer<ApiObject>): Cache => ({
  resource: resourceOf(kind),
  synced,
  objects: synced ? store.list() : [],
});

/** A client of the controller's own, under the term of the one that it is given; one context for watches and effects. */
function withClient(
  definition: ControllerDefinition,
  ownOf: (given: Client) => Client,
): ControllerDefinition {
  const own = new WeakMap<ControllerContext, ControllerContext>();
  const named = (context: ControllerContext): ControllerContext => {
    const known = own.get(context) ?? { ...context, client: ownOf(context.client) };
    own.set(context, known);
    return known;
  };
  const { resyncMs } = definition;
  return {
    ...definition,
    ...(resyncMs !== undefined && resyncMs > 0 && { resyncMs: Math.max(resyncMs, SHORTEST_RESYNC_MS) }),
    watches: (context) => definition.watches(named(context)),
    effects: (context) => definition.effects(named(context)),
  };
}

const notingKeys = (queues: WorkQueueFactory, keys: Map<string, Set<string>>): WorkQueueFactory => ({
  close: () => queues.close(),
  create(name, options) {
    const queue = queues.create(name, options);
    const known = new Set<string>();
    keys.set(name, known);
    return {
      name,
      add(key, change) {
        known.add(key);
        queue.add(key, change);
      },
      addAfter(key, delayMs) {
        known.add(key);
        queue.addAfter(key, delayMs);
      },
      addRateLimited: (key) => queue.addRateLimited(key),
      forget: (key) => queue.forget(key),
      retries: (key) => queue.retries(key),
      run: (process, refill) => queue.run(process, refill),
      stats: () => queue.stats(),
      problem: () => queue.problem(),
      stop: () => queue.stop(),
    };
  },
});
