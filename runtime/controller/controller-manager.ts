import type { AnyStateMachine } from 'xstate';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/coded.ts';
import { Lifetimes, type Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { type LeaderElectionOptions, createElectedController } from '../leaderelection/elected-controller.ts';
import type { Informers } from '../informer/informer.ts';
import { createJournal, type Journal } from '../journal/journal.ts';
import type { QueueStats, WorkQueueFactory } from '../queue/work-queue.ts';
import { type Replica, createReplicas } from '../replicas/replicas.ts';
import type { ControllerDefinition, Watch } from './controller.ts';
import { createControllerMetrics, type ControllerMetrics } from './metrics.ts';
import { createPace } from './pace.ts';
import { createController, type Leadership, type RunningController } from './run-controller.ts';
import { selectControllers } from './selection.ts';

export interface ControllerManagerOptions {
  /** All that this program knows. */
  readonly controllers: readonly ControllerDefinition[];
  /** The value of `--controllers`, split at commas. Default `['*']`. */
  readonly selection?: readonly string[];
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly queues: WorkQueueFactory;
  readonly events: EventRecorder;
  readonly environment: Environment;
  /** Default one with the default bounds. */
  readonly journal?: Journal;
  readonly metrics?: ControllerMetrics;
  /** Default none: every controller runs in this process, whatever others do. */
  readonly leaderElection?: LeaderElectionOptions;
  /** By which other processes know this one. Default that of the leader election, else a random one. */
  readonly identity?: string;
  /** Started before the controllers and stopped after them: informers, event recorder. */
  readonly before?: readonly Lifetime[];
  /** How long one part may take to stop, milliseconds. Default 4 000. */
  readonly graceMs?: number;
}

export interface ControllerState {
  readonly name: string;
  readonly problems: readonly string[];
  readonly queue: QueueStats;
  readonly machine: AnyStateMachine;
  /** What it watches; empty before its start. */
  readonly watches: readonly Watch[];
  /** Only of one that one process runs at a time. */
  readonly leader?: Leadership;
}

/** `start` resolves when all controllers take keys; those whose caches are filled do so before. */
export interface ControllerManager extends Lifetime {
  /** Names of the controllers that `--controllers` chose. */
  readonly names: readonly string[];
  readonly journal: Journal;
  /** Healthy when every controller runs, every cache is filled and no queue has a problem; the reasons when not. */
  healthy(): { readonly healthy: boolean; readonly reasons: readonly string[] };
  state(): readonly ControllerState[];
  /** This process first, then those that share its keys. */
  replicas(): readonly Replica[];
  /** Brings a key of a controller up: for dashboards and tests. Throws for a controller that does not run. */
  enqueue(controller: string, key: string): void;
  /** Brings every key of every controller up: timers that were set may be wrong. */
  bringAllUp(): void;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Runs the chosen controllers of a program. Starts what they stand on, then all of them at the same time; stops in the
 * reverse order, the queues last of what is its own. Throws for a selection with an unknown name.
 */
export function createControllerManager(options: ControllerManagerOptions): ControllerManager {
  const { environment, queues, journal = createJournal({ clock: environment.clock }) } = options;
  const counted = options.metrics ?? createControllerMetrics();
  const finished = new Map<string, number>();
  const metrics: ControllerMetrics = {
    ...counted,
    passFinished(controller, ...how) {
      finished.set(controller, (finished.get(controller) ?? 0) + 1);
      counted.passFinished(controller, ...how);
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
      if (late.length > 0) environment.log.warn({ late }, 'controller manager left parts behind');
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
    enqueue(name, key) {
      const controller = controllers.find((each) => each.name === name);
      if (controller === undefined)
        throw new CodedError(
          'ERR_CONTROLLER_UNKNOWN',
          `controller ${JSON.stringify(name)} does not run; running are ${controllers.map((each) => each.name).join(', ')}`,
        );
      controller.enqueue(key);
    },
    bringAllUp() {
      for (const controller of controllers) controller.bringAllUp();
    },
    metrics: () => metrics.expose(),
  };
}

function leadershipOf(controller: RunningController): Pick<ControllerState, 'leader'> {
  const leader = controller.leader?.();
  return leader === undefined ? {} : { leader };
}

/** All at the same time: none waits for another's caches. */
const together = (controllers: readonly RunningController[]): Lifetime => ({
  name: 'controllers',
  async start() {
    await Promise.all(controllers.map((controller) => controller.start()));
  },
  async stop() {
    await Promise.all(controllers.map((controller) => controller.stop()));
  },
});
