import { jobs } from '../../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import {
  type Invariant,
  invariant,
  isOf,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

const CONTROLLER = 'ttlafterfinished';

/**
 * Returns the time in milliseconds after which a finished Job may be deleted. Undefined if it has not
 * finished or has no TTL.
 */
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

/** Reaction time of the controller in milliseconds. A run may end just when a Job expires. */
const REACTION_MS = 5_000;

/** Invariants about the deletion of finished Jobs after their TTL. */
export const ttlAfterFinishedInvariants: readonly Invariant[] = [
  invariant({
    id: 'ttlafterfinished/no-early-deletion',
    says: 'deletes only finished Jobs whose TTL has passed by the clock of the API server',
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
    id: 'ttlafterfinished/expired-is-deleted',
    says: 'a finished Job is deleted after its TTL',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, commit) {
      const job = objectOf(commit, jobs, 'before');
      const isDeletion = commit.verb === 'delete' && job !== undefined;
      return verdict(state, isDeletion && (endOf(job) ?? Infinity) <= commit.atMs);
    },
    atRest(state, live) {
      const left = liveObjects(live, jobs).find(
        (job) => !job.metadata?.deletionTimestamp && (endOf(job) ?? Infinity) + REACTION_MS <= live.nowMs,
      );
      return verdict(state, left !== undefined, left && `the TTL of ${left.metadata?.name ?? ''} has passed`);
    },
  }),
];
