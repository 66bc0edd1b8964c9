import type { IdlePace } from './key-worker.ts';

/** Options of queues that several processes share. */
export interface SharedQueueOptions {
  /** First part of all keys on the server. Processes with the same prefix share their keys. */
  readonly prefix: string;
  /** Time in milliseconds for which `stop` waits for running reconciles before it aborts them. */
  readonly graceMs: number;
  /** Polling intervals. Default `IDLE_PACE`. */
  readonly idle?: IdlePace;
}
