import type { IdlePace } from './key-worker.ts';

/** Options of queues that several processes share. */
export interface SharedQueueOptions {
  /** First part of all keys on the server; managers with the same prefix share their work. */
  readonly prefix: string;
  /** How long `stop` waits for running reconciles before it aborts them, in milliseconds. */
  readonly graceMs: number;
  /** Polling intervals. Default `IDLE_PACE`. */
  readonly idle?: IdlePace;
}
