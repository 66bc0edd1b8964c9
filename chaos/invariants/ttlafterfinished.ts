import { jobs } from '../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { type Invariant, invariant, isOf, liveObjects, objectOf, verdict } from './invariant.ts';

const CONTROLLER = 'ttlafterfinished';

/** When a finished Job may go; undefined for one that runs, or is kept. */
function endOf({ spec, status }: DeepReadonly<Job>): number | undefined {
  const done = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  const finishedMs = fromTime(done?.lastTransitionTime);
  const { ttlSecondsAfterFinished } = spec ?? {};
  return finishedMs === undefined || ttlSecondsAfterFinished === undefined
    ? undefined
    : finishedMs + ttlSecondsAfterFinished * 1000;
}

/** How soon the end of its time must have been heeded: a run may end as it comes. */
const HEED_MS = 5_000;

/** Finished Jobs go when their time is over, and others never. */
export const ttlAfterFinishedInvariants: readonly Invariant[] = [
  invariant({
    id: 'ttlafterfinished/N1',
    says: 'deletes only Jobs that have finished and whose time is over, by the time of the API server',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      const job = objectOf(commit, jobs, 'before');
      const endMs = job && endOf(job);
      if (!isOf(commit, jobs) || commit.verb !== 'delete' || endMs === undefined)
        return verdict(state, true, `${commit.verb} of ${commit.name}`);
      return verdict(state, true, endMs > commit.atMs ? `deleted ${commit.name} too early` : undefined);
    },
  }),
  invariant({
    id: 'ttlafterfinished/E1',
    says: 'a finished Job whose time is over goes',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const left = liveObjects(live, jobs).find(
        (job) => !job.metadata?.deletionTimestamp && (endOf(job) ?? Infinity) + HEED_MS <= live.nowMs,
      );
      return verdict(state, true, left && `the time of ${left.metadata?.name ?? ''} is over`);
    },
  }),
];
