import type { ApiObject, DeepReadonly, Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import { silentLogger } from '../../base/log/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
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
import { type LiveView, resourceOf } from '../invariants/invariant.ts';
import type { Happening } from '../oracles/runtime/observation.ts';
import { observeProcess } from '../oracles/runtime/observed-process.ts';
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
  /** Controller selection in the format of `--controllers`. */
  readonly selection: readonly string[];
  readonly journal: Journal;
  /** Creates the work queues; default in-process queues. */
  readonly queuesFor?: ((environment: Environment) => WorkQueueFactory) | undefined;
  /** True if recorded Events are sent to the server. */
  readonly events: boolean;
  /** Identity in leader election. Undefined if the process uses no leases. */
  readonly identity?: string | undefined;
  /** Called with each observation of the process. Undefined if the process is not observed. */
  readonly onHappening?: ((happening: Happening) => void) | undefined;
}

/** A controller manager between its start and its end or crash. */
export interface ControllerProcess {
  readonly process: Process;
  readonly manager: ControllerManager;
  /** Returns the keys that the controllers have enqueued so far. */
  keys(): readonly { readonly controller: string; readonly key: string }[];
  /** Returns the contents of all caches. They may be stale. */
  caches(): readonly Cache[];
  /** Reports the caches and queues to `onHappening`. Called when the world is quiescent. */
  observeQuiescence(live: LiveView): void;
}

export interface Cache {
  readonly resource: string;
  readonly synced: boolean;
  readonly objects: readonly DeepReadonly<ApiObject>[];
}

/**
 * Watch duration in seconds. It is longer than in production: with short watches, virtual hours would consist
 * mostly of watch restarts.
 */
const WATCH_SECONDS = 3_600;
/**
 * Idle timeout of watches in milliseconds. It exceeds `WATCH_SECONDS`, because a server without bookmarks may
 * send nothing for a whole watch without a fault.
 */
const QUIET_SERVER_MS = 2 * WATCH_SECONDS * 1_000 + 60_000;
/**
 * Lease timings in milliseconds. They are longer than in production, because otherwise lease renewals would
 * be most of the requests. They are shorter than the longest pause of a process, so that leases expire.
 */
const LEASES = { leaseDurationMs: 290_000, renewDeadlineMs: 200_000, retryPeriodMs: 90_000 };
/**
 * Minimum resync period in milliseconds. Some controllers resync every 5 minutes, which would repair
 * forgotten keys before an invariant notices.
 */
const SHORTEST_RESYNC_MS = 15 * 60_000;

/**
 * Starts the controllers of one process. Each controller has a dedicated client, so that requests can be
 * attributed to controllers.
 */
export function startControllers(options: ControllerProcessOptions): ControllerProcess {
  const { process, scheme, network, credentials, selection, journal, queuesFor } = options;
  const environment = {
    clock: process.clock,
    random: createSeededRandom(options.seed),
    log: silentLogger,
  };
  // All clients of a process share one estimate of the server's time.
  const serverClock = createServerClock(process.clock);
  const fences = new WeakMap<Client, LeaseFence>();
  const { onHappening } = options;
  const observer = onHappening && observeProcess(onHappening, () => process.pausedUntilMs);
  const clientOf = (actor: string, fence?: LeaseFence): Client => {
    const sent = network.transport({
      process,
      actor,
      peer: credentials.controllerManager,
      faulty: true,
    });
    const transport = observer?.transport(sent, actor) ?? sent;
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
  const created = createInformers({
    client: shared,
    watchSeconds: WATCH_SECONDS,
    reflector: { quietServerMs: QUIET_SERVER_MS },
    metrics: {
      event: (informer, type) => type === 'BOOKMARK' && onHappening?.({ type: 'bookmark', informer }),
    },
    ...environment,
  });
  const informers = observer?.informers(created) ?? created;
  const queues =
    queuesFor?.(environment) ??
    observer?.queues(createMemoryQueues, environment) ??
    createMemoryQueues(environment);
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
    queues: notingKeys(queues, keys),
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
  // Rejects only if a definition does not fit its machine. In a crashed process the promise stays pending.
  void manager.start();
  return {
    process,
    manager,
    keys: () => [...keys].flatMap(([controller, of]) => [...of].map((key) => ({ controller, key }))),
    caches: () =>
      [...new Map(informers.all().map((each) => [resourceOf(each.kind), each])).values()].map(cacheOf),
    observeQuiescence: (live) => observer?.observeQuiescence(live),
  };
}

const cacheOf = ({ kind, synced, store }: Informer<ApiObject>): Cache => ({
  resource: resourceOf(kind),
  synced,
  objects: synced ? store.list() : [],
});

/**
 * Returns the definition with a dedicated client for the controller, under the lease of the original client.
 * The controller's watches and effects share one context.
 */
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
