import type { Status } from '../../api/status/api-error.ts';

/**
 * What may go wrong, each at every place where it can:
 *
 * - `crash`: a process ends; what it has sent may still arrive
 * - `timeout`: a pass gives up waiting; what it has sent may still arrive
 * - `lost`: a write is carried out, its answer is a broken connection
 * - `conflict`, `error`: 409, 500 without a commit
 * - `stall`: a watch falls silent until the informer lists again, so that any number of events are seen as one
 * - `flush`: the work queue is emptied; only the resync brings its keys back
 * - `stale-restart`: a process starts on an API server that is as far behind as its predecessor's caches were
 * - `late`: a request is on its way for longer than client and server give it; only where it is asked for
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

/** Those that strike unless others are chosen. */
export const usualFaults = faultKinds.filter((kind) => kind !== 'late');

export type FaultKind = (typeof faultKinds)[number];

export const refusalOf = (fault: 'conflict' | 'error'): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  ...(fault === 'conflict'
    ? { reason: 'Conflict', code: 409, message: 'somebody else was faster' }
    : { reason: 'InternalError', code: 500, message: 'something went wrong' }),
});
