import type { DeepReadonly } from '../kinds/kind.ts';
import type { Job } from '../types/batch-v1.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Pending: 'no pod has been started for it',
  Suspended: 'it has no running pods until it is resumed',
  Running: 'its pods run, or a new one starts after a back-off',
  Complete: 'enough of its pods have succeeded',
  Failed: 'too many of its pods have failed, or its deadline has passed',
} as const;

const hasCondition = ({ status }: DeepReadonly<Job>, type: string): boolean =>
  status?.conditions?.some((each) => each?.type === type && each.status === 'True') === true;

/** Lifecycle of Jobs (https://kubernetes.io/docs/concepts/workloads/controllers/job/). */
export const jobLifecycle = {
  id: 'job',
  noun: 'Job',
  kind: { group: 'batch', plural: 'jobs', kind: 'Job' },
  states,
  transitions: [
    { from: ['absent'], to: 'Pending', by: ['cronjob', 'user'], reason: 'it is created' },
    { from: ['absent'], to: 'Suspended', by: ['cronjob', 'user'], reason: 'it is created suspended' },
    { from: ['Pending'], to: 'Running', by: ['job', 'user'], reason: 'its first pods start' },
    { from: ['Pending', 'Running'], to: 'Suspended', by: ['user'], reason: 'it is suspended' },
    { from: ['Suspended'], to: 'Pending', by: ['user'], reason: 'it is resumed before its start' },
    { from: ['Suspended'], to: 'Running', by: ['user'], reason: 'it is resumed' },
    {
      from: ['Pending', 'Running', 'Suspended'],
      to: 'Complete',
      by: ['job', 'user'],
      reason: 'enough pods have succeeded',
    },
    {
      from: ['Pending', 'Running', 'Suspended'],
      to: 'Failed',
      by: ['job', 'user'],
      reason: 'too many pods have failed, or the deadline passes',
    },
    {
      from: ['Complete', 'Failed'],
      to: DELETED,
      by: ['ttlafterfinished'],
      reason: 'its time to live has passed',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['cronjob', 'user', 'namespace', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  stateOf(job) {
    if (hasCondition(job, 'Complete')) return 'Complete';
    if (hasCondition(job, 'Failed')) return 'Failed';
    if (job.spec?.suspend === true) return 'Suspended';
    return job.status?.startTime === undefined ? 'Pending' : 'Running';
  },
} satisfies Lifecycle<Job, keyof typeof states>;
