import type { AnyStateMachine } from 'xstate';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Lifetime, Lifetimes } from '../../base/lifetime/index.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { type LeaderElectionOptions, createElectedController } from '../leaderelection/elected-controller.ts';
import type { Informers } from '../informer/informer.ts';
import type { Journal } from '../journal/journal.ts';
import { createJournal } from '../journal/memory-journal.ts';
import type { QueueStats, WorkQueueFactory } from '../queue/work-queue.ts';
import { type Replica, createReplicas } from '../replicas/replicas.ts';
import type { ControllerDefinition, Watch } from './controller.ts';
import { createControllerMetrics, type ControllerMetrics } from './metrics.ts';
import { createPace } from './pace.ts';
import { createController } from './run-controller.ts';
import type { Leadership, RunningController } from './running-controller.ts';
import { selectControllers } from './selection.ts';

/** Options of `createControllerManager`. */
export interface ControllerManagerOptions {
  /** All controllers that the program knows. */
  readonly controllers: readonly ControllerDefinition[];
  /** The value of `--controllers`, split at commas. Default `['*']`. */
  readonly selection?: readonly string[];
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly queues: WorkQueueFactory;
  readonly events: EventRecorder;
  readonly environment: Environment;
  /** Record of reconciles. Default: a journal in memory with the default bounds. */
  readonly journal?: Journal;
  /** Default: metrics in a new registry. */
  readonly metrics?: ControllerMetrics;
  /** Leader election of the controllers. Default: none, so every selected controller runs in this process. */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Name of this process among its replicas. Default: the identity of the leader election, otherwise a random
   * name.
   */
  readonly identity?: string;
  /**
   * Parts to start before the controllers and to stop after them, such as informers and the event recorder.
   */
  readonly before?: readonly Lifetime[];
  /** Time limit for the stop of one part, in milliseconds. Default 4,000. */
  readonly graceMs?: number;
}

/** State of one controller. */
export interface ControllerState {
  readonly name: string;
  /** Problems of the controller, one phrase each; empty if it is healthy. */
  readonly problems: readonly string[];
  readonly queue: QueueStats;
  readonly machine: AnyStateMachine;
  /** Watches of the controller; empty before its start. */
  readonly watches: readonly Watch[];
  /** Holder of the controller's lease; undefined without leader election. */
  readonly leader?: Leadership;
}

/**
 * A running set of controllers. `start` resolves once each controller takes keys from its queue, or waits for a
 * kind that the server does not serve. A controller takes keys once its caches are filled.
 */
export interface ControllerManager extends Lifetime {
  /** Names of the selected controllers. */
  readonly names: readonly string[];
  readonly journal: Journal;
  /**
   * Returns whether every controller runs, every cache is filled and no queue has a problem, and otherwise
   * the reasons.
   */
  healthy(): { readonly healthy: boolean; readonly reasons: readonly string[] };
  state(): readonly ControllerState[];
  /** Returns this process first, then the other processes that share its keys. */
  replicas(): readonly Replica[];
  /**
   * Enqueues a key of a controller, for dashboards and tests. Throws `ERR_CONTROLLER_UNKNOWN` if the
   * controller does not run.
   * @param requester user who requested it, for the journal
   */
  enqueue(controller: string, key: string, requester?: string): void;
  /**
   * Enqueues all keys of all controllers. Called after a jump of the wall clock, which makes delays wrong.
   */
  enqueueAll(): void;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Creates the selected controllers of a program. `start` starts `before` in order, then all controllers
 * concurrently; `stop` uses the reverse order. Throws `ERR_CONTROLLER_UNKNOWN` for an unknown name in the
 * selection.
 */
export function createControllerManager(options: ControllerManagerOptions): ControllerManager {
  const { environment, queues, journal = createJournal({ clock: environment.clock }) } = options;
  const counted = options.metrics ?? createControllerMetrics();
  const finished = new Map<string, number>();
  const metrics: ControllerMetrics = {
    ...counted,
    reconcileFinished(controller, ...how) {
      finished.set(controller, (finished.get(controller) ?? 0) + 1);
      counted.reconcileFinished(controller, ...how);
    },
  };
  const pace = createPace(environment.clock);
  const { client, scheme, informers, events, leaderElection } = options;
  const dependencies = { client, scheme, informers, queues, events, journal, metrics, pace, ...environment };
  const identity = options.identity ?? leaderElection?.identity;
  const replicas = createReplicas({
    board: queues.notices,
    ...(identity === undefined ? {} : { identity }),
    finished: () => finished,
    ...environment,
  });
  const controllers = selectControllers(options.controllers, options.selection).map((definition) =>
    leaderElection !== undefined && (leaderElection.all || definition.single === true)
      ? createElectedController(definition, dependencies, leaderElection)
      : createController(definition, dependencies),
  );
  const lifetimes = new Lifetimes(
    [
      ...(options.before ?? []),
      { name: 'queues', start: async () => {}, stop: () => queues.close() },
      replicas,
      together(controllers),
    ],
    { clock: environment.clock, ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }) },
  );
  const reasons = (): readonly string[] => controllers.flatMap((controller) => controller.problems());
  return {
    name: 'controllers',
    names: controllers.map(({ name }) => name),
    journal,
    start: () => lifetimes.start(),
    async stop() {
      const late = await lifetimes.stop();
      if (late.length > 0)
        environment.log.warn({ late }, 'parts of the controller manager did not stop in time');
    },
    healthy: () => ({ healthy: reasons().length === 0, reasons: reasons() }),
    state: () =>
      controllers.map((controller) => ({
        name: controller.name,
        problems: controller.problems(),
        queue: controller.stats(),
        machine: controller.definition.machine,
        watches: controller.watches(),
        ...leadershipOf(controller),
      })),
    replicas: () => replicas.list(),
    enqueue(name, key, requester) {
      const controller = controllers.find((each) => each.name === name);
      if (controller === undefined)
        throw new CodedError(
          'ERR_CONTROLLER_UNKNOWN',
          `controller ${JSON.stringify(name)} is not running; expected one of ${controllers.map((each) => each.name).join(', ')}`,
        );
      controller.enqueue(key, 0, requester);
    },
    enqueueAll() {
      for (const controller of controllers) controller.enqueueAll();
    },
    metrics: () => metrics.expose(),
  };
}

function leadershipOf(controller: RunningController): Pick<ControllerState, 'leader'> {
  const leader = controller.leader?.();
  return leader === undefined ? {} : { leader };
}

/** Starts and stops all controllers concurrently, so that no controller waits for the caches of another. */
const together = (controllers: readonly RunningController[]): Lifetime => ({
  name: 'controllers',
  async start() {
    await Promise.all(controllers.map((controller) => controller.start()));
  },
  async stop() {
    await Promise.all(controllers.map((controller) => controller.stop()));
  },
});
