import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import { fromTime, toTime } from '../../../base/clock/index.ts';
import { calendarOf } from './calendar.ts';
import { CONTROLLER, finishedAs, ownedBy, creationIn, listOf, dueOf, slotOf, withCreation } from './runs.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  liveObjects,
  objectOf,
  verdict,
  withMember,
} from '../../invariants/invariant.ts';

/** Time in milliseconds within which the end of a Job must be handled. */
const REACTION_MS = 20_000;
/**
 * Number of missed runs above which upstream starts none of them:
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/controller/cronjob/utils.go
 */
const MANY = 100;

/** Creates the invariant that each unblocked CronJob has had the Job of its latest run. */
const onceDue = (
  vocabulary: Vocabulary,
  id: string,
  says: string,
  isFree: (cronJob: DeepReadonly<CronJob>, live: LiveView) => boolean,
): Invariant =>
  invariant<readonly string[]>({
    id,
    says,
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => [],
    onCommit: (created, commit, live) =>
      verdict(
        withCreation(withExcused(created, commit, live, vocabulary), creationIn(commit, live), commit.name),
        false,
      ),
    atRest(created, live) {
      let reached = false;
      for (const cronJob of liveObjects(live, cronJobs)) {
        const { uid = '', name = '', creationTimestamp } = cronJob.metadata ?? {};
        const dueMs = dueOf(cronJob, vocabulary, fromTime(creationTimestamp) ?? 0, live.nowMs);
        if (dueMs === undefined || !isFree(cronJob, live)) continue;
        reached = true;
        if (!created.includes(slotOf(uid, dueMs)))
          return verdict(created, true, `${name} was due at ${toTime(dueMs)} and has not run`);
      }
      return verdict(created, reached);
    },
  });

/**
 * Adds the run that was due before a schedule change to the created runs, because a new schedule applies only
 * from its change on.
 */
function withExcused(
  created: readonly string[],
  commit: Commit,
  live: LiveView,
  vocabulary: Vocabulary,
): readonly string[] {
  const before = objectOf(commit, cronJobs, 'before')?.spec;
  const after = objectOf(commit, cronJobs, 'after');
  if (before === undefined || after === undefined) return created;
  if (before.schedule === after.spec?.schedule && before.timeZone === after.spec?.timeZone) return created;
  const dueMs = dueOf(after, vocabulary, fromTime(after.metadata?.creationTimestamp) ?? 0, live.nowMs);
  return dueMs === undefined ? created : listOf([...created, slotOf(commit.uid, dueMs)]);
}

/** Creates the invariant about CronJobs with many missed runs. */
const continuesAfterMany = (vocabulary: Vocabulary): Invariant =>
  invariant<readonly string[]>({
    id: 'cronjob/continues-after-many-missed',
    says: 'a CronJob with more than 100 missed runs continues',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => [],
    onCommit(late, commit) {
      const after = objectOf(commit, cronJobs, 'after');
      const before = objectOf(commit, cronJobs, 'before');
      const wasMs = fromTime(before?.status?.lastScheduleTime ?? before?.metadata?.creationTimestamp);
      const isMs = fromTime(after?.status?.lastScheduleTime);
      if (wasMs === undefined || isMs === undefined || isMs <= wasMs) return verdict(late, false);
      const count = calendarOf(after ?? {}, vocabulary).count(wasMs, isMs, MANY);
      return verdict(count > MANY ? listOf([...late, commit.uid]) : late, false);
    },
    atRest(late, live) {
      const met = liveObjects(live, cronJobs).filter(({ metadata }) => late.includes(metadata?.uid ?? ''));
      const stuck = met.find((cronJob) => {
        const lastMs = fromTime(cronJob.status?.lastScheduleTime) ?? 0;
        const isFree = cronJob.spec?.concurrencyPolicy !== 'Forbid';
        return isFree && dueOf(cronJob, vocabulary, lastMs, live.nowMs) !== undefined;
      });
      return verdict(late, met.length > 0, stuck && `${stuck.metadata?.name ?? ''} has not run since`);
    },
  });

const keepsWithinLimits: Invariant = invariant({
  id: 'cronjob/history-within-limits',
  says: 'no more finished Jobs are kept than the history limits allow',
  controller: CONTROLLER,
  kind: 'eventually',
  initial: () => null,
  atRest(state, live) {
    let reached = false;
    for (const { metadata, spec } of liveObjects(live, cronJobs)) {
      const owned = liveObjects(live, jobs, metadata?.namespace).filter(ownedBy(metadata?.uid ?? ''));
      for (const [as, limit] of [
        ['Complete', spec?.successfulJobsHistoryLimit],
        ['Failed', spec?.failedJobsHistoryLimit],
      ] as const) {
        const kept = owned.filter((job) => finishedAs(job) === as && !job.metadata?.deletionTimestamp).length;
        reached ||= kept > 0;
        if (limit !== undefined && kept > limit && !metadata?.deletionTimestamp)
          return verdict(state, true, `${metadata?.name ?? ''} keeps ${kept} Jobs (${as}) of ${limit}`);
      }
    }
    return verdict(state, reached);
  },
});

const listsRunning: Invariant = invariant({
  id: 'cronjob/active-lists-running',
  says: 'status.active lists exactly the running Jobs',
  controller: CONTROLLER,
  kind: 'eventually',
  initial: () => null,
  atRest(state, live) {
    let reached = false;
    for (const { metadata, spec, status } of liveObjects(live, cronJobs)) {
      if (metadata?.deletionTimestamp !== undefined) continue;
      const running = liveObjects(live, jobs, metadata?.namespace)
        .filter((job) => ownedBy(metadata?.uid ?? '')(job) && finishedAs(job) === undefined)
        .map((job) => job.metadata?.uid ?? '');
      // A claim without a Job may stay if the CronJob was suspended first, or if it was switched to Forbid
      // while another Job runs.
      const isHeld = spec?.suspend === true || (spec?.concurrencyPolicy === 'Forbid' && running.length > 0);
      reached ||= running.length > 0;
      const gone = status?.active?.find(({ uid = '' }) => !(uid === '' ? isHeld : running.includes(uid)));
      if (gone !== undefined)
        return verdict(state, true, `${metadata?.name ?? ''} lists ${gone.name ?? ''}, which does not run`);
    }
    return verdict(state, reached);
  },
});

/** Creates the invariant about resumed CronJobs. */
const runsOnceResumed = (vocabulary: Vocabulary): Invariant =>
  invariant<{ readonly created: readonly string[]; readonly resumedMs: { readonly [uid: string]: number } }>({
    id: 'cronjob/resumed-runs',
    says: 'a resumed CronJob runs when it is next due',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => ({ created: [], resumedMs: {} }),
    onCommit({ created, resumedMs }, commit, live) {
      const [before, after] = [objectOf(commit, cronJobs, 'before'), objectOf(commit, cronJobs, 'after')];
      const isResumed = before?.spec?.suspend === true && after !== undefined && after.spec?.suspend !== true;
      return verdict(
        {
          created: withExcused(
            withCreation(created, creationIn(commit, live), commit.name),
            commit,
            live,
            vocabulary,
          ),
          resumedMs: isResumed ? withMember(resumedMs, commit.uid, commit.atMs) : resumedMs,
        },
        false,
      );
    },
    atRest(state, live) {
      let reached = false;
      for (const cronJob of liveObjects(live, cronJobs)) {
        const { uid = '', name = '' } = cronJob.metadata ?? {};
        const sinceMs = state.resumedMs[uid];
        if (sinceMs === undefined || cronJob.spec?.concurrencyPolicy === 'Forbid') continue;
        const dueMs = dueOf(cronJob, vocabulary, sinceMs, live.nowMs);
        reached ||= dueMs !== undefined;
        if (dueMs !== undefined && !state.created.includes(slotOf(uid, dueMs)))
          return verdict(state, true, `${name} was resumed, was due at ${toTime(dueMs)}, and has not run`);
      }
      return verdict(state, reached);
    },
  });

/** Returns the invariants about the runs of CronJobs that nothing blocks. */
export const cronJobEventually = (vocabulary: Vocabulary): readonly Invariant[] => [
  onceDue(
    vocabulary,
    'cronjob/no-missed-run',
    'a due run that is not blocked gets its Job',
    ({ spec }) => spec?.concurrencyPolicy !== 'Forbid',
  ),
  continuesAfterMany(vocabulary),
  keepsWithinLimits,
  listsRunning,
  runsOnceResumed(vocabulary),
  onceDue(
    vocabulary,
    'cronjob/forbid-runs-afterwards',
    'under Forbid, a run that was due during another one gets its Job afterwards',
    ({ metadata, spec }, live) =>
      spec?.concurrencyPolicy === 'Forbid' &&
      !liveObjects(live, jobs, metadata?.namespace).some(
        (job) =>
          ownedBy(metadata?.uid ?? '')(job) &&
          (fromTime(job.status?.completionTime) ?? Infinity) > live.nowMs - REACTION_MS,
      ),
  ),
];
