import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { leases } from '../../../api/groups/coordination-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { controllerOf } from '../../../runtime/index.ts';
import { calendarOf } from './calendar.ts';
import {
  asChanged,
  asCreated,
  asShown,
  asStarted,
  asTakenOver,
  isKnown,
  isTakeover,
  type Changes,
} from './changes.ts';
import { cronJobEventually } from './eventual-invariants.ts';
import {
  CONTROLLER,
  MINUTE_MS,
  finishedAs,
  ownedBy,
  dueMsOf,
  creationIn,
  claimIn,
  listOf,
  slotOf,
  type Creation,
} from './runs.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type InvariantResult,
  invariant,
  liveObject,
  liveObjects,
  objectOf,
  resourceOf,
  verdict,
} from '../../invariants/invariant.ts';

/**
 * Maximum error in milliseconds of a controller's estimate of the server time: `Date` headers have whole
 * seconds, and a response takes time.
 */
const SKEW_MS = 2_000;

/** Creates a stateless invariant about the creation of Jobs. */
const onCreation = (
  id: string,
  says: string,
  judge: (
    creation: Creation,
    live: LiveView,
    atMs: number,
  ) => { reached: boolean; broken?: string | undefined },
): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live): InvariantResult<null> {
      const creation = creationIn(commit, live);
      if (!creation) return verdict(state, false);
      const { reached, broken } = judge(creation, live, commit.atMs);
      return verdict(state, reached, broken);
    },
  });

const unfinished = (live: LiveView, { job, owner }: Creation): readonly DeepReadonly<Job>[] =>
  liveObjects(live, jobs, job.metadata?.namespace).filter(
    (each) =>
      ownedBy(owner)(each) && finishedAs(each) === undefined && each.metadata?.uid !== job.metadata?.uid,
  );

/** Time in milliseconds of the last change of the concurrency policy or of a limit, by uid. */
type PolicyChanges = { readonly [uid: string]: number };

/** True if the last policy change may have been invisible when the write was decided on. */
const isNews = (changedMs: PolicyChanges, uid = '', { atMs, sentMs = atMs }: Commit): boolean =>
  sentMs - (changedMs[uid] ?? -Infinity) < MINUTE_MS;

function changesPolicy(commit: Commit): boolean {
  const before = objectOf(commit, cronJobs, 'before');
  const after = objectOf(commit, cronJobs, 'after');
  return before !== undefined && after?.spec?.concurrencyPolicy !== before.spec?.concurrencyPolicy;
}

function raisesLimit(commit: Commit): boolean {
  const [before, after] = (['before', 'after'] as const).map(
    (which) => objectOf(commit, cronJobs, which)?.spec,
  );
  if (before === undefined || after === undefined) return false;
  return (['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const).some(
    (limit) => (after[limit] ?? 0) > (before[limit] ?? 0),
  );
}

/** Returns minute and hour in a time zone; default the time zone of the process. */
function localTime(
  ms: number,
  timeZone: string | undefined,
): { readonly minute: number; readonly hour: number } {
  const parts = clockOf(timeZone).formatToParts(ms);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return { minute: of('minute'), hour: of('hour') };
}

/**
 * Formatters by time zone. Cached, because creating a formatter takes a hundred times as long as using it.
 */
const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

function clockOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const zone = timeZone === undefined ? {} : { timeZone };
  const known =
    clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { minute: 'numeric', hour: 'numeric', ...zone });
  clocks.set(timeZone, known);
  return known;
}

/**
 * True if a number matches a schedule field that is a `*`, a step from `*`, or one number. Also true for
 * other forms, which are not checked.
 */
function fits(field: string, value: number): boolean {
  const [, step, exact] = /^(?:\*(?:\/(\d+))?|(\d+))$/.exec(field) ?? [];
  if (exact !== undefined) return value === Number(exact);
  return step === undefined || value % Number(step) === 0;
}

const starts: readonly Invariant[] = [
  invariant<readonly string[]>({
    id: 'cronjob/no-duplicate-run',
    says: 'never creates two Jobs for one run, even if the first one was deleted',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(created, commit, live) {
      const creation = creationIn(commit, live);
      if (!creation) return verdict(created, false);
      const slot = slotOf(creation.owner, dueMsOf(commit.name));
      const isSecond = created.includes(slot) && commit.abandoned !== true;
      return verdict(
        listOf([...created, slot]),
        true,
        isSecond ? `created ${commit.name} although that run already had its Job` : undefined,
      );
    },
  }),
  invariant<PolicyChanges>({
    id: 'cronjob/forbid-runs-alone',
    says: 'under Forbid, two Jobs never run at once',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(changedMs, commit, live) {
      if (changesPolicy(commit)) return verdict({ ...changedMs, [commit.uid]: commit.atMs }, false);
      const creation = creationIn(commit, live);
      if (creation?.cronJob?.spec?.concurrencyPolicy !== 'Forbid') return verdict(changedMs, false);
      const isTooSoon = isNews(changedMs, creation.owner, commit);
      const [other] = isTooSoon || commit.abandoned === true ? [] : unfinished(live, creation);
      const name = creation.job.metadata?.name ?? '';
      return verdict(
        changedMs,
        !isTooSoon,
        other && `created ${name} while ${other.metadata?.name ?? ''} had not finished`,
      );
    },
  }),
  onCreation(
    'cronjob/replace-deletes-first',
    'under Replace, no Job is created before the running one is deleted',
    (creation, live) => {
      const isReplacing = creation.cronJob?.spec?.concurrencyPolicy === 'Replace';
      const [other] = isReplacing
        ? unfinished(live, creation).filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
        : [];
      return { reached: isReplacing, broken: other && `${other.metadata?.name ?? ''} was not deleted first` };
    },
  ),
  onCreation(
    'cronjob/runs-in-time',
    'a Job is created neither before it is due, nor after its deadline, nor for a time before the CronJob existed',
    ({ job, cronJob }, _live, atMs) => {
      const dueMs = dueMsOf(job.metadata?.name ?? '');
      const deadline = cronJob?.spec?.startingDeadlineSeconds;
      const createdMs = fromTime(cronJob?.metadata?.creationTimestamp) ?? -Infinity;
      if (dueMs > atMs + SKEW_MS) return { reached: true, broken: 'created before it was due' };
      if (dueMs <= createdMs) return { reached: true, broken: 'due before the CronJob was created' };
      // A request that was decided on before the deadline may arrive later, by at most one request timeout.
      const isLate = deadline !== undefined && atMs > dueMs + Number(deadline) * 1000 + MINUTE_MS;
      return { reached: true, broken: isLate ? 'created after its deadline' : undefined };
    },
  ),
  invariant<readonly string[]>({
    id: 'cronjob/no-run-while-suspended',
    says: 'never claims a run of a CronJob that is suspended or being deleted',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(state, commit) {
      const claim = claimIn(commit);
      if (!claim) return verdict(state, false);
      const { spec, metadata } = claim.cronJob;
      const isStopped = spec?.suspend === true || metadata?.deletionTimestamp !== undefined;
      return verdict(
        state,
        true,
        isStopped ? `claimed ${claim.name} of a suspended or deleted CronJob` : undefined,
      );
    },
  }),
];

/** Creates the invariant that claimed runs belong to the schedule. */
const onSchedule = (vocabulary: Vocabulary): Invariant =>
  invariant<Changes>({
    id: 'cronjob/no-unscheduled-run',
    says: 'every claimed run belongs to the schedule and is not earlier than the last schedule change',
    controller: CONTROLLER,
    kind: 'never',
    entries: ['started', 'enqueued'],
    resources: [resourceOf(leases)],
    initial: () => ({ changedMs: {} }),
    onEntry: (state, entry) =>
      verdict(entry.event === 'started' ? asStarted(state, entry) : asShown(state, entry), false),
    onCommit(state, commit) {
      if (isTakeover(commit)) return verdict(asTakenOver(state, commit), false);
      const before = objectOf(commit, cronJobs, 'before');
      const after = objectOf(commit, cronJobs, 'after');
      if (after && !before) return verdict(asCreated(state, commit), false);
      if (before && after && before.spec?.schedule !== after.spec?.schedule)
        return verdict(asChanged(state, commit), false);
      const claim = claimIn(commit);
      if (!claim) return verdict(state, false);
      const { schedule = '' } = claim.cronJob.spec ?? {};
      const dueMs = dueMsOf(claim.name);
      const isOfSchedule = calendarOf(claim.cronJob, vocabulary).has(dueMs);
      if (!isOfSchedule) return verdict(state, true, `claimed ${claim.name}, which is not of ${schedule}`);
      const changedMs = state.changedMs[commit.uid] ?? -Infinity;
      const isRetroactive =
        dueMs <= changedMs - SKEW_MS && isKnown(changedMs, state, commit, claim.cronJob, vocabulary);
      return verdict(
        state,
        true,
        isRetroactive ? `claimed ${claim.name}, due before the schedule was changed` : undefined,
      );
    },
  });

const claimsAndJobs: readonly Invariant[] = [
  invariant({
    id: 'cronjob/last-schedule-grows',
    says: 'lastScheduleTime never goes back',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const wasMs = fromTime(objectOf(commit, cronJobs, 'before')?.status?.lastScheduleTime);
      const after = objectOf(commit, cronJobs, 'after');
      if (commit.actor !== CONTROLLER || wasMs === undefined || !after) return verdict(state, false);
      const isMs = fromTime(after.status?.lastScheduleTime) ?? -Infinity;
      return verdict(state, true, isMs < wasMs ? `lastScheduleTime of ${commit.name} went back` : undefined);
    },
  }),
  invariant<{ readonly [owner: string]: number }>({
    id: 'cronjob/no-earlier-run',
    says: 'never creates a Job for an earlier run than one that already had its Job',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(latest, commit, live) {
      const creation = creationIn(commit, live);
      if (!creation) return verdict(latest, false);
      const minutes = dueMsOf(commit.name) / MINUTE_MS;
      const before = latest[creation.owner] ?? -Infinity;
      const next = Object.entries({ ...latest, [creation.owner]: Math.max(before, minutes) }).sort();
      return verdict(
        Object.fromEntries(next),
        true,
        minutes < before ? `created ${commit.name} for an earlier run` : undefined,
      );
    },
  }),
  invariant<PolicyChanges>({
    id: 'cronjob/no-needed-job-deleted',
    says: 'history clean-up deletes only finished Jobs of the CronJob beyond its limit',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(state, commit, live) {
      if (changesPolicy(commit)) {
        const { concurrencyPolicy } = objectOf(commit, cronJobs, 'before')?.spec ?? {};
        return verdict(
          concurrencyPolicy === 'Replace' ? { ...state, [commit.uid]: commit.atMs } : state,
          false,
        );
      }
      if (raisesLimit(commit)) return verdict({ ...state, [`${commit.uid} limits`]: commit.atMs }, false);
      const job = objectOf(commit, jobs, 'before');
      if (commit.actor !== CONTROLLER || commit.verb !== 'delete' || !job) return verdict(state, false);
      const owner = controllerOf(job);
      const cronJob = owner && liveObject(live, cronJobs, commit.namespace, owner.name);
      // Without its CronJob, a Job is garbage, so no limit applies.
      if (cronJob?.metadata?.uid !== owner?.uid) return verdict(state, false);
      const { concurrencyPolicy, successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob?.spec ?? {};
      const finished = finishedAs(job);
      if (finished === undefined) {
        const isReplaced = concurrencyPolicy === 'Replace' || isNews(state, owner?.uid, commit);
        return verdict(state, true, isReplaced ? undefined : `deleted ${commit.name}, which was running`);
      }
      const limit = finished === 'Complete' ? successfulJobsHistoryLimit : failedJobsHistoryLimit;
      const left = liveObjects(live, jobs, commit.namespace).filter(
        (each) => ownedBy(owner?.uid ?? '')(each) && finishedAs(each) === finished,
      );
      const isRaised = isNews(state, `${owner?.uid ?? ''} limits`, commit);
      const isTooFew = limit !== undefined && left.length < limit && !isRaised;
      return verdict(
        state,
        true,
        isTooFew ? `deleted ${commit.name}, keeping ${left.length} of ${limit}` : undefined,
      );
    },
  }),
  invariant({
    id: 'cronjob/local-time-matches',
    says: 'every claimed run matches the schedule in its time zone, also across daylight-saving changes',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const claim = claimIn(commit);
      if (!claim) return verdict(state, false);
      const { schedule = '', timeZone } = claim.cronJob.spec ?? {};
      const fields = schedule.split(' ');
      // A schedule of six fields begins with the seconds.
      const [minutes = '*', hours = '*'] = fields.length > 5 ? fields.slice(1) : fields;
      const { minute, hour } = localTime(dueMsOf(claim.name), timeZone);
      const isOfSchedule = fits(minutes, minute) && fits(hours, hour);
      return verdict(
        state,
        true,
        isOfSchedule
          ? undefined
          : `claimed ${claim.name}, which is ${hour}:${minute} on the clock of ${schedule}`,
      );
    },
  }),
  invariant({
    id: 'cronjob/no-foreign-active-job',
    says: 'never lists a Job of another controller as its own',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      const after = objectOf(commit, cronJobs, 'after');
      if (commit.actor !== CONTROLLER || !after) return verdict(state, false);
      const listed = (after.status?.active ?? []).filter(({ uid }) => uid);
      // Deleting a CronJob may orphan its Jobs. The controller may list a Job whose owner was removed a
      // moment ago.
      const isGoing = after.metadata?.deletionTimestamp !== undefined;
      const foreign = listed.find(({ name = '', uid }) => {
        const job = liveObject(live, jobs, commit.namespace, name);
        if (job?.metadata?.uid !== uid || job === undefined || ownedBy(commit.uid)(job)) return false;
        return !isGoing || (job.metadata?.ownerReferences ?? []).some(({ controller }) => controller);
      });
      return verdict(
        state,
        listed.length > 0,
        foreign && `lists ${foreign.name ?? ''} of another controller`,
      );
    },
  }),
];

/** Returns the invariants about when and how often the Jobs of CronJobs run, and which Jobs are kept. */
export const cronJobInvariants = (vocabulary: Vocabulary): readonly Invariant[] => [
  ...starts,
  onSchedule(vocabulary),
  ...claimsAndJobs,
  ...cronJobEventually(vocabulary),
];
