import type { AttentionItem, JournalEntry, JournalQuery, ReconcileEnd } from '../../runtime/journal/index.ts';
import type { JournalModel } from './journal-model.ts';

/**
 * Data from which documents are computed: a live or replayed journal, and facts that only a running process
 * has.
 */
export interface View {
  readonly model: JournalModel;
  readonly nowMs: number;
  entries(query: JournalQuery): readonly JournalEntry[];
  /** Calls `visit` for each finished reconcile, in any order. */
  finished(visit: (reconcile: ReconcileEnd) => void): void;
  readonly facts?: Facts;
  /** List of what needs attention. It is absent for a replayed journal, which has no objects. */
  readonly attention?: () => readonly AttentionItem[];
}

/** Facts about the running process that are not in the journal. */
export interface Facts {
  readonly controllers: readonly ControllerFacts[];
  readonly informers: readonly InformerFacts[];
  readonly server?: ServerFacts;
  /** True if processes share their keys over Redis. */
  readonly shared: boolean;
  /** This process, and the other processes that share its keys. */
  readonly replicas: readonly ReplicaFacts[];
}

/** A process that shares keys with this one. */
export interface ReplicaFacts {
  readonly identity: string;
  readonly own: boolean;
  /** Start of the process, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Time since the last report of the process, in milliseconds. */
  readonly silentMs: number;
  /**
   * Number of reconciles finished in the last minute, by controller. Not used for this process, whose journal
   * has them.
   */
  readonly reconciles: Readonly<Record<string, number>>;
}

/** Holder of a controller's Lease, as last observed. */
export interface LeaderFacts {
  readonly holder: string;
  readonly own: boolean;
  readonly transitions: number;
  /** Start of the term, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** URL of the holder's dashboard. Absent if the holder advertises none. */
  readonly address?: string;
}

/** Facts about one controller. */
export interface ControllerFacts {
  readonly name: string;
  readonly problems: readonly string[];
  /** Facts about the controller's queue. Absent for a replayed journal. */
  readonly queue?: QueueFacts;
  /** Watched resources. If `keyed` is true, the keys name objects of the first resource. */
  readonly watches: readonly ResourceName[];
  /** True if the controller's keys are names of objects of the first watch. */
  readonly keyed: boolean;
  /** Present if only one process at a time runs the controller. */
  readonly leader?: LeaderFacts;
}

/** Number of keys in a controller's queue, by state. */
export interface QueueFacts {
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** Age of the oldest ready key, in milliseconds. */
  readonly oldestMs: number;
}

/** Parts of a resource's path in the API. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** State of one informer. `silentMs` is the time since its last event. */
export interface InformerFacts {
  readonly name: string;
  readonly synced: boolean;
  readonly watching: boolean;
  readonly silentMs: number;
  readonly objects: number;
}

/** Current rates of the API server. A quantile is the upper bound of its bucket. */
export interface ServerFacts {
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly watchers: number;
  readonly revision: string;
}
