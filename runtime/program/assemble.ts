import type { Environment } from '../../base/environment.ts';
import { type Metrics, createMetrics } from '../../base/metrics/index.ts';
import { PROGRAM_VERSION } from '../../base/version.ts';
import type { AnyKind, Scheme } from '../../api/kinds/index.ts';
import { type AttentionList, createAttentionList } from '../attention/attention-list.ts';
import type { AttentionRules } from '../attention/rule.ts';
import type { Client } from '../client/client.ts';
import { negotiateVersions } from '../client/negotiation.ts';
import { createRequestMetrics } from '../client/request-metrics.ts';
import { createClient } from '../client/rest-client.ts';
import { createServerClock } from '../client/server-clock.ts';
import type { Transport } from '../client/transport.ts';
import { type ControllerManager, createControllerManager } from '../controller/controller-manager.ts';
import type { ControllerDefinition } from '../controller/controller.ts';
import { createControllerMetrics } from '../controller/metrics.ts';
import type { EventForm } from '../events/event-correlator.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import { createInformerMetrics } from '../informer/informer-metrics.ts';
import { type RunningInformers, createInformers } from '../informer/informers.ts';
import type { Journal } from '../journal/journal.ts';
import { createJournal } from '../journal/memory-journal.ts';
import { type Requester, createRequestJournal, namingRequesters } from '../journal/requests.ts';
import type { LeaderElectionOptions } from '../leaderelection/elected-controller.ts';
import { fenceWrites, leaseHeld } from '../leaderelection/lease-fence.ts';
import type { WorkQueueFactory } from '../queue/work-queue.ts';
import { createClockJumps } from './clock-jumps.ts';

/** Options of `assembleControllerManager`. */
export interface AssemblyOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** The value of `--controllers`, split at commas. Default `['*']`. */
  readonly selection?: readonly string[];
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly transport: Transport;
  /** `host:port` of the API server, for metrics. Default `in-process`. */
  readonly host?: string;
  /** Name of the program, used in the user agent and as the source of events. */
  readonly component: string;
  readonly queues: WorkQueueFactory;
  /** Form of events. Default `count`, as in kube-controller-manager. */
  readonly eventForm?: EventForm;
  /** Registry of all metrics. Default: a new registry. */
  readonly metrics?: Metrics;
  /** Record of reconciles. Default: a journal in memory with the default bounds. */
  readonly journal?: Journal;
  /** Returns the `traceparent` header of an effect's requests. Default: none is sent. */
  readonly traceparentOf?: (requester: Requester) => string;
  /** Rules of the list of what needs attention. Default: no list. */
  readonly attention?: AttentionRules;
  /** Leader election of the controllers. Default: none, so every selected controller runs in this process. */
  readonly leaderElection?: Omit<LeaderElectionOptions, 'clientFor'>;
  /**
   * Name of this process among its replicas. Default: the identity of the leader election, otherwise a random
   * name.
   */
  readonly identity?: string;
  /** Maximum sustained number of requests per second. Default: no limit. */
  readonly qps?: number;
  /** Maximum number of requests at once before `qps` delays them. Default 1.5 times `qps`. */
  readonly burst?: number;
}

/** A controller manager and its informers. */
export type AssembledManager = ControllerManager & {
  readonly informers: RunningInformers;
  /** List of what needs attention; undefined without rules. */
  readonly attention: AttentionList | undefined;
};

/**
 * Creates controllers that use one connection and share a client, informers, events and metrics. Does not
 * start them.
 */
export function assembleControllerManager(options: AssemblyOptions): AssembledManager {
  const { scheme, environment, transport, component, queues, controllers, selection, qps, burst } = options;
  const { metrics = createMetrics(), journal = createJournal(environment) } = options;
  const countRequest = createRequestMetrics(metrics, options.host ?? 'in-process');
  const journalRequest = createRequestJournal(journal);
  // Shared by all clients of the process. With a clock per client, the first reconcile of a new term would
  // use the local clock, because its client has received no response yet.
  const jumps = createClockJumps({
    clock: environment.clock,
    // Any response contains the server's time in its `date` header.
    ask: () => void client.request({ method: 'GET', path: '/version' }).catch(() => {}),
    heal() {
      environment.log.warn({}, "the server's clock has jumped: all keys are enqueued again");
      manager.enqueueAll();
    },
  });
  const serverClock = createServerClock(environment.clock, jumps.jumped);
  const clientOn = (through: Transport): Client =>
    negotiateVersions(
      createClient({
        observe: (observation) => {
          countRequest(observation);
          journalRequest(observation);
        },
        scheme,
        transport: namingRequesters(through, options.traceparentOf),
        clock: environment.clock,
        serverClock,
        log: environment.log,
        userAgent: `${component}/${PROGRAM_VERSION}`,
        ...(qps === undefined ? {} : { qps }),
        ...(burst === undefined ? {} : { burst }),
      }),
    );
  const client = clientOn(transport);
  const informers = createInformers({ ...environment, client, metrics: createInformerMetrics(metrics) });
  const events = createEventRecorder({
    ...environment,
    client,
    scheme,
    component,
    form: options.eventForm ?? 'count',
  });
  const attention =
    options.attention &&
    createAttentionList({
      rules: options.attention,
      informers,
      journal,
      scheme,
      clock: environment.clock,
      metrics,
      nowMs: () => client.serverClock.now(),
      kindOfKeys: (controller) => kindOfKeys(manager, controller),
    });
  const manager = createControllerManager({
    controllers,
    ...(selection === undefined ? {} : { selection }),
    ...(options.identity === undefined ? {} : { identity: options.identity }),
    client,
    scheme,
    informers,
    queues,
    events,
    journal,
    metrics: createControllerMetrics(metrics),
    environment,
    ...(options.leaderElection === undefined
      ? {}
      : {
          leaderElection: {
            ...options.leaderElection,
            clientFor: (fence) => clientOn(fenceWrites(transport, fence, leaseHeld(scheme))),
          },
        }),
    before: [
      { name: 'client', start: async () => {}, stop: () => client.close() },
      informers,
      ...(attention ? [attention] : []),
      events,
      jumps,
    ],
  });
  return { ...manager, informers, attention };
}

/** Returns the kind of the objects that the keys of a controller name, or undefined if they name none. */
const kindOfKeys = (manager: ControllerManager, controller: string): AnyKind | undefined =>
  manager
    .state()
    .find(({ name }) => name === controller)
    ?.watches.find(({ keys }) => keys === undefined)?.kind;
