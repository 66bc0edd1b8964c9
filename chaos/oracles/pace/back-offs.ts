import { pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import { fromTime } from '../../../base/clock/index.ts';

/** Back-off with which a controller replaces failed dependents of one owner. */
export interface BackOff {
  readonly id: string;
  readonly says: string;
  readonly controller: string;
  readonly dependents: Kind<never>;
  readonly outcomeOf: (object: DeepReadonly<ApiObject>) => 'failed' | 'succeeded' | undefined;
  /** Returns the time of the end that the object states, in milliseconds. */
  readonly endedMs: (object: DeepReadonly<ApiObject>) => number;
  /** Number of failures in a row that are replaced at once. */
  readonly free: number;
  /** Delay after the next failure in milliseconds; it doubles with each further one up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
}

const outcomeOfPod = (object: DeepReadonly<ApiObject>): 'failed' | 'succeeded' | undefined => {
  const { phase } = (object as DeepReadonly<Pod>).status ?? {};
  return phase === 'Failed' ? 'failed' : phase === 'Succeeded' ? 'succeeded' : undefined;
};

/** A pod that has ended without running containers, such as an evicted one, states only when it was created. */
function endOfPod(object: DeepReadonly<ApiObject>): number {
  const { status, metadata } = object as DeepReadonly<Pod>;
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => fromTime(state?.terminated?.finishedAt) ?? [],
  );
  if (ends.length > 0) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return fromTime(ready?.lastTransitionTime ?? metadata?.creationTimestamp) ?? 0;
}

/** Back-offs that release 1.24 documents. */
export const backOffs: readonly BackOff[] = [
  {
    // https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
    id: 'pace/job-replaces-pods-slowly',
    says: 'failed pods of a Job are replaced with a growing delay, which only a success resets',
    controller: 'job',
    dependents: pods,
    outcomeOf: outcomeOfPod,
    endedMs: endOfPod,
    free: 1,
    firstMs: 10_000,
    longestMs: 360_000,
  },
];

/** Returns the delay after a number of failures in a row, in milliseconds. */
export const delayAfter = ({ free, firstMs, longestMs }: BackOff, failures: number): number =>
  failures <= free ? 0 : Math.min(firstMs * 2 ** (failures - free - 1), longestMs);
