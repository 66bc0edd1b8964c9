import type { Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Informers } from '../informer/informer.ts';
import type { Journal } from '../journal/journal.ts';
import type { QueueStats, WorkQueueFactory } from '../queue/work-queue.ts';
import type { ControllerDefinition, Watch } from './controller.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { Pace } from './pace.ts';

/** Dependencies of `createController`. */
export interface ControllerDependencies extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly queues: WorkQueueFactory;
  readonly events: EventRecorder;
  /** True if no other process runs the controller at the same time. Default false. */
  readonly alone?: boolean;
  /** Record of reconciles. Default: no journal. */
  readonly journal?: Journal;
  readonly metrics?: ControllerMetrics;
  /** Pace shared by the controllers of a process. Default: a pace that no other controller shares. */
  readonly pace?: Pace;
}

/** A controller created by `createController`. */
export interface RunningController extends Lifetime {
  readonly definition: ControllerDefinition;
  /** Returns the problems of the controller, one phrase each; empty if it is healthy. */
  problems(): readonly string[];
  stats(): QueueStats;
  /** Returns the controller's watches; empty before its start. */
  watches(): readonly Watch[];
  /**
   * Enqueues a key after `afterMs` milliseconds, default 0.
   * @param requester user who requested it, for the journal; undefined if the controller itself did
   */
  enqueue(key: string, afterMs?: number, requester?: string): void;
  /**
   * Enqueues the keys of all watched objects, as a resync does. Does nothing before the controller takes
   * keys.
   */
  enqueueAll(): void;
  /** Returns the last known leader. Undefined without leader election. */
  leader?(): Leadership | undefined;
}

/** The holder of a controller's lease. */
export interface Leadership {
  readonly holder: string;
  /** True if this process holds the lease and its term has not ended. */
  readonly own: boolean;
  /** Number of changes of the lease's holder. */
  readonly transitions: number;
  /** Time of acquisition in milliseconds since the epoch; undefined if the lease lacks the time. */
  readonly sinceMs?: number;
  /** URL of the holder's dashboard, if its Lease has it and this process could reach it. */
  readonly address?: string;
}
