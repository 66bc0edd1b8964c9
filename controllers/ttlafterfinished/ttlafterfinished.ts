import { jobs } from '../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { ttlAfterFinishedMachine } from '../../machines/ttlafterfinished/ttl-after-finished.ts';
import { watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { createExpiryEffects } from '../expiry.ts';
import { ttlAfterFinishedManifest } from './manifest.ts';

/** Deletes Jobs with their pods `spec.ttlSecondsAfterFinished` seconds after they finished. */
export const ttlAfterFinishedController = implement(ttlAfterFinishedManifest, {
  machine: ttlAfterFinishedMachine,
  watches: () => [
    watch(jobs, {
      when: (job, previous) => hasTimeToLive(job) || (previous !== undefined && hasTimeToLive(previous)),
    }),
  ],
  effects: (context) =>
    createExpiryEffects(context, {
      kind: jobs,
      store: context.informers.of(jobs).store,
      leftMs,
      propagationPolicy: 'Foreground',
    }),
});

const hasTimeToLive = ({ spec }: DeepReadonly<Job>): boolean => spec?.ttlSecondsAfterFinished !== undefined;

/**
 * Returns the milliseconds until the Job expires, or null without a time to live or for an unfinished Job. A
 * Job finishes when `Complete` or `Failed` becomes true.
 */
function leftMs({ spec, status }: DeepReadonly<Job>, nowMs: number): number | null {
  const seconds = spec?.ttlSecondsAfterFinished;
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  const endedMs = fromTime(end?.lastTransitionTime);
  return seconds === undefined || endedMs === undefined ? null : endedMs + seconds * 1000 - nowMs;
}
