import { jobs } from '../../api/groups/batch-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { objectRule } from '../../runtime/index.ts';
import { said } from './certificate-requests.ts';

/** Job that has failed for good. */
export const jobFailed = objectRule({
  reason: 'job-failed',
  controller: 'job',
  kind: jobs,
  patienceMs: 0,
  applies: ({ status }) =>
    status?.conditions?.some((each) => each.type === 'Failed' && each.status === 'True') === true,
  find({ metadata, status }) {
    const failed = status?.conditions?.find((each) => each.type === 'Failed');
    return {
      sinceMs: fromTime(failed?.lastTransitionTime),
      sentence: `Job ${metadata?.namespace ?? ''}/${metadata?.name ?? ''} has failed and is not retried${said(failed ?? {})}.`,
    };
  },
});
