import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import { type EventClaim, trueCondition } from '../../oracles/claims/claim.ts';

type Any = DeepReadonly<ApiObject>;

/** Returns the text after the first colon, up to a comma. */
const afterColon = (message: string): string => (/: ([^,]+)/.exec(message)?.[1] ?? '').trim();

const statusIn = (message: string): string => /status: (\w+)/.exec(message)?.[1] ?? '';

/** Events about CronJobs: https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/cronjob/cronjob_controllerv2.go */
export const cronJobEvents: readonly EventClaim[] = [
  {
    kind: cronJobs,
    reason: 'SawCompletedJob',
    named: { kind: jobs, nameIn: afterColon },
    isTrue: (job, message) => trueCondition(job, statusIn(message)) !== undefined,
  },
  {
    kind: cronJobs,
    reason: 'MissingJob',
    named: { kind: jobs, nameIn: afterColon },
    isTrue: 'absent',
  },
  {
    kind: cronJobs,
    reason: 'JobAlreadyActive',
    isTrue: (cronJob: Any) => {
      const { spec, status } = cronJob as DeepReadonly<CronJob>;
      return spec?.concurrencyPolicy === 'Forbid' && (status?.active ?? []).length > 0;
    },
  },
  {
    kind: cronJobs,
    reason: 'MissSchedule',
    isTrue: (cronJob: Any) => (cronJob as DeepReadonly<CronJob>).spec?.startingDeadlineSeconds !== undefined,
  },
];
