import type { JournalEntry, JournalQuery } from '../../runtime/journal/index.ts';
import type { JournalModel } from './journal-model.ts';

/** What documents are made from: a journal, live or played again, and what only a running process knows. */
export interface View {
  readonly model: JournalModel;
  readonly nowMs: number;
  entries(query: JournalQuery): readonly JournalEntry[];
  readonly facts?: Facts;
}

/** Of the running process, besides the journal. */
export interface Facts {
  readonly controllers: readonly ControllerFacts[];
  readonly informers: readonly InformerFacts[];
  readonly server?: ServerFacts;
  /** Whether other processes share the work, over Redis. */
  readonly shared: boolean;
  /** This process, and those it knows that share its keys. */
  readonly replicas: readonly ReplicaFacts[];
}

export interface ReplicaFacts {
  readonly identity: string;
  readonly own: boolean;
  /** Wall time. */
  readonly startedMs: number;
  /** How long ago it was last heard of. */
  readonly silentMs: number;
  /** Finished in the last minute, by controller; of the own process the journal says so. */
  readonly passes: Readonly<Record<string, number>>;
}

/** Who holds a controller's lease. */
export interface LeaderFacts {
  readonly holder: string;
  readonly own: boolean;
  readonly transitions: number;
  /** Wall time. */
  readonly sinceMs?: number;
}

/** State of a controller as the page shows it. */
export interface ControllerFacts {
  readonly name: string;
  readonly problems: readonly string[];
  /** Undefined of a journal that is played again. */
  readonly queue?: QueueFacts;
  /** The first is what its keys name, where `keyed` says so. */
  readonly watches: readonly ResourceName[];
  /** Whether its keys are names of objects of the first watch. */
  readonly keyed: boolean;
  /** Only of one that one process runs at a time. */
  readonly leader?: LeaderFacts;
}

export interface QueueFacts {
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** Age of the key that has waited longest. */
  readonly oldestMs: number;
}

/** By which the API's paths are made. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** State of an informer as the page shows it. */
export interface InformerFacts {
  readonly name: string;
  readonly synced: boolean;
  readonly watching: boolean;
  readonly silentMs: number;
  readonly objects: number;
}

/** Figures of the API server as the page shows them. */
export interface ServerFacts {
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly watchers: number;
  readonly revision: string;
}
