import type { Status } from '../../api/status/index.ts';

/**
 * Faults of the model. Each is injected at every place where it can occur:
 * - `crash`: a process ends; its requests may still arrive
 * - `timeout`: a reconcile stops waiting; its requests may still arrive
 * - `lost`: a write is executed, and the connection breaks before the response
 * - `conflict`, `error`: 409 or 500 without a commit
 * - `stall`: a watch is silent until the informer re-lists, so that its events are merged
 * - `flush`: the work queue is emptied; only the resync requeues its keys
 * - `stale-restart`: a process starts with an API server that is as stale as the caches of the previous
 * process
 * - `late`: a request arrives after the timeouts of client and server; only if requested explicitly
 */
export const faultKinds = [
  'crash',
  'timeout',
  'lost',
  'conflict',
  'error',
  'stall',
  'flush',
  'stale-restart',
  'late',
] as const;

/** Faults that are injected by default. */
export const usualFaults = faultKinds.filter((kind) => kind !== 'late');

export type FaultKind = (typeof faultKinds)[number];

export const refusalOf = (fault: 'conflict' | 'error'): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  ...(fault === 'conflict'
    ? { reason: 'Conflict', code: 409, message: 'another client was faster' }
    : { reason: 'InternalError', code: 500, message: 'something went wrong' }),
});
