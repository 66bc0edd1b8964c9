import { jobs } from '../../../api/groups/batch-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { SECOND_MS, expiration } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** Returns the end of the time to live of a finished Job. */
function endMs(object: DeepReadonly<ApiObject>): number | undefined {
  const { spec, status } = object as DeepReadonly<Job>;
  const end = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  const finishedMs = fromTime(end?.lastTransitionTime);
  const seconds = spec?.ttlSecondsAfterFinished;
  return finishedMs === undefined || seconds === undefined ? undefined : finishedMs + seconds * SECOND_MS;
}

/** Documented facts about the controller `ttlafterfinished` in release 1.24. */
export const ttlAfterFinishedFacts: ControllerFacts = {
  dueTimes: [
    expiration({
      // https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
      id: 'due/finished-job-expires',
      says: 'a Job is deleted after its time to live and not before, however it finished',
      kind: jobs,
      endMs,
      restMs: 5_000,
    }),
  ],
};
