import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import { fromTime } from '../../../base/clock/index.ts';

/** Order in which a controller gives up dependents of one owner. */
export interface Preference {
  readonly id: string;
  readonly says: string;
  readonly controller: string;
  readonly owners: Kind<never>;
  readonly dependents: Kind<never>;
  /** Returns the class in which dependents are interchangeable; undefined if the order is none of its concern. */
  readonly classOf: (object: DeepReadonly<ApiObject>) => string | undefined;
  /** Returns a number that is lower for dependents that must be deleted first. */
  readonly rankOf: (object: DeepReadonly<ApiObject>) => number;
}

function finishedAs({ status, metadata }: DeepReadonly<Job>): string | undefined {
  if (metadata?.deletionTimestamp !== undefined || status?.startTime === undefined) return undefined;
  return status.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  )?.type;
}

/** Returns the progress of a running pod without index; pods of an index are chosen by index first. */
function progressOf({ metadata, spec, status }: DeepReadonly<Pod>): string | undefined {
  const { phase = 'Pending', conditions = [], containerStatuses = [] } = status ?? {};
  const isIndexed = Object.keys(metadata?.annotations ?? {}).some((name) =>
    name.endsWith('/job-completion-index'),
  );
  if (isIndexed || metadata?.deletionTimestamp !== undefined) return undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  const isReady = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [spec?.nodeName !== undefined, phase, isReady, restarts].join(' ');
}

/** Preferences that release 1.24 documents or implements. */
export const preferences: readonly Preference[] = [
  {
    // https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits
    id: 'choice/cronjob-keeps-newest',
    says: 'of the finished Jobs of a CronJob, the history limits delete the oldest',
    controller: 'cronjob',
    owners: cronJobs,
    dependents: jobs,
    classOf: (object) => finishedAs(object as DeepReadonly<Job>),
    rankOf: (object) => fromTime((object as DeepReadonly<Job>).status?.startTime) ?? 0,
  },
  {
    // https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/controller_utils.go (ActivePods)
    id: 'choice/job-keeps-oldest-pod',
    says: 'of running pods with equal progress, a Job with too many deletes the youngest',
    controller: 'job',
    owners: jobs,
    dependents: pods,
    classOf: (object) => progressOf(object as DeepReadonly<Pod>),
    rankOf: ({ metadata }) => -(fromTime(metadata?.creationTimestamp) ?? 0),
  },
];
