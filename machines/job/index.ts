export {
  type AnnounceInput,
  type CreateInput,
  type JobIdentity,
  type PodsInput,
  type RecordInput,
  type RemoveInput,
  type Written,
  jobMachine,
} from './job.ts';
export type { Observation, ObservedJob, ObservedPod, PodRef } from './observed.ts';
export type { PlannedStatus } from './plan.ts';
