import type { Scheme } from '../../api/kinds/index.ts';
import { type Clock, sleep, withWallOffset } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import { cronJobManifest } from '../../controllers/cronjob/index.ts';
import { jobManifest } from '../../controllers/job/index.ts';
import type { Client } from '../../runtime/index.ts';
import { isExcused } from '../invariants/invariant.ts';
import type { LoadedSubject } from '../run/subject.ts';
import { type Action, createUser } from '../world/user.ts';
import type { CarriedWrites } from './carried.ts';
import { type ChangeLog, createChangeLog } from './changes.ts';
import { type LiveStrike, createDisturber } from './disturber.ts';
import type { HeldStrikes, ProcessFault } from './faults.ts';
import { createLeaders } from './leaders.ts';
import { type JudgedRecording, createPresent, judgeRecording } from './recording.ts';
import { type Journals, type LiveSystem, createJournals } from './system.ts';

export interface LiveOptions {
  readonly system: LiveSystem;
  readonly scheme: Scheme;
  readonly clock: Clock;
  readonly random: Random;
  readonly seed: number;
  readonly subject: LoadedSubject;
  readonly workload: readonly Action[];
  readonly faults: readonly ProcessFault[];
  /** Duration of the phase with faults, and minimum duration of the phase without faults, in milliseconds. */
  readonly faultsMs: number;
  readonly calmMs: number;
  /** Clients of an administrator. `watching` follows the store, `acting` executes user actions. */
  readonly watching: Client;
  readonly acting: Client;
  /** Writes that reached the API server, with their senders. */
  readonly carried: CarriedWrites;
  /** Connection faults, which are injected only in the fault phase. */
  readonly connections: HeldStrikes;
  /** Faults so far. Connection faults are appended to this list during the run. */
  readonly strikes: LiveStrike[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/**
 * Maximum age of initial objects in milliseconds. The API server must be started with its clock set back by
 * this time.
 */
export const OLDEST_MS = 3 * DAY_MS;
const POLL_MS = 1_000;
/**
 * Time in milliseconds without changes after which the system is quiescent, and the maximum wait for this
 * state.
 */
const QUIET_MS = 4_000;
const PATIENCE_MS = 60_000;
/** Maximum response time in milliseconds. A slower program has not had enough processor time. */
const PROMPT_MS = 1_000;
/** Maximum running time of pods in milliseconds, so that the system converges within a minute. */
const LONGEST_RUN_MS = 5_000;
/** Time in milliseconds in which restarted controllers can act. */
const AFTER_REST_MS = 6_000;
/** Seconds of a minute in which no Job starts or runs, because Jobs start at full minutes. */
const REST_SECONDS = [30, 48] as const;

/**
 * Runs real processes with faults, then without, and evaluates the invariants.
 *
 * The run is recorded from outside: by watches of all resources, by the proxies in front of the API server
 * and by the controllers' journals. The caller starts and stops all programs except the controller managers,
 * which the run starts.
 */
export async function runLive(options: LiveOptions): Promise<JudgedRecording> {
  const { system, clock, random, seed, faults, connections, carried, strikes } = options;
  const journals = createJournals(system.managers, clock);
  const onStrike = (strike: LiveStrike): void => void strikes.push(strike);
  const disturber = createDisturber({ system, faults, random, clock, journals, onStrike });
  const startMs = clock.now();
  const { changes, ...store } = await followStore(options);
  await store.letUsersPrepare();
  const stopPolling = poll(journals, clock);
  await disturber.restart();
  store.letUsersAct();
  connections.active = true;
  await disturber.run(clock.monotonic() + options.faultsMs);
  connections.active = false;
  await disturber.heal();
  const hasConverged = await rest(options, store, journals);
  await stopPolling();
  const restMs = clock.now();
  if (hasConverged) {
    await disturber.restart();
    await sleep(clock, AFTER_REST_MS);
  }
  changes.stop();
  // A Job scheduled for the next minute is not a reaction to the restart.
  const endMs = isScheduled(options) ? Math.ceil(restMs / MINUTE_MS) * MINUTE_MS : Infinity;
  const all = changes.all.filter(({ observedMs }) => observedMs < endMs);
  const programs = [system.server, ...system.managers.map(({ program }) => program)];
  const flaws = [
    ...changes.gaps,
    ...programs.flatMap(({ deaths }) => deaths),
    ...(hasConverged ? [] : [`the system did not converge within ${PATIENCE_MS} ms without faults`]),
  ];
  const { initial } = changes;
  const { entries } = journals;
  const struck = strikes.map(({ name }) => name);
  return judgeRecording(
    {
      seed,
      startMs,
      ...(hasConverged && { restMs }),
      initial,
      changes: all,
      writes: carried.all,
      entries,
      strikes,
      flaws,
    },
    options.subject.invariants.filter(
      // These invariants need the order between processes or observations inside processes. A recording has
      // neither.
      (each) =>
        each.onRepeat === undefined &&
        each.onObservation === undefined &&
        each.ofSharedKeys !== true &&
        !isExcused(each, struck),
    ),
    options.scheme,
  );
}

const isScheduled = ({ subject }: LiveOptions): boolean => subject.controllers.includes(cronJobManifest.name);

/** Resources that are written for as long as processes run. */
const RESTLESS: ReadonlySet<string> = new Set(['coordination/leases', '/events', 'events/events']);

/** Follows the store, on which user actions are based. */
async function followStore(options: LiveOptions): Promise<{
  readonly changes: ChangeLog;
  /** Returns the monotonic time of the last relevant change. */
  readonly changedMs: () => number;
  /**
   * True if every elected controller has had the same leader for a while, and the leader has just renewed its
   * lease.
   */
  readonly isLed: () => boolean;
  /**
   * Executes the initial actions, each with the API server's clock set to the action's time. Then corrects
   * the clock.
   */
  readonly letUsersPrepare: () => Promise<void>;
  /** Executes the remaining actions at their times. */
  readonly letUsersAct: () => void;
}> {
  const { system, watching, acting, scheme, clock, subject, workload, faultsMs } = options;
  let serverOffMs = 0;
  const serverClock = withWallOffset(clock, () => serverOffMs);
  const setServerClock = (offsetMs: number): Promise<void> =>
    system.server.setClock((serverOffMs = offsetMs));
  const changes = createChangeLog(watching, scheme, serverClock);
  const present = createPresent(serverClock);
  const leaders = createLeaders(clock, `${scheme.vocabulary.short}-controller-manager-`);
  await changes.start();
  for (const change of changes.initial) leaders.onCommit(present.apply(change));
  let changedMs = clock.monotonic();
  let beganMs = changedMs;
  const user = createUser({
    client: acting,
    scheme,
    timeline: {
      get nowMs() {
        return clock.monotonic() - beganMs;
      },
      plan: (delayMs, _, run) => void clock.setTimeout(run, Math.max(0, delayMs)),
    },
    live: present.live,
    nowMs: () => clock.now(),
    endsJobs: !subject.controllers.includes(jobManifest.name),
    longestRunMs: LONGEST_RUN_MS,
  });
  changes.onChange = (change) => {
    const commit = present.apply(change);
    leaders.onCommit(commit);
    user.onCommit(commit);
    if (!RESTLESS.has(change.resource)) changedMs = clock.monotonic();
  };
  return {
    changes,
    changedMs: () => changedMs,
    isLed: () => leaders.areSettled(QUIET_MS),
    async letUsersPrepare() {
      for (const action of workload) {
        if (action.atMs >= 0) continue;
        await setServerClock(Math.max(action.atMs, -OLDEST_MS));
        await user.act(action);
      }
      await setServerClock(0);
    },
    letUsersAct() {
      beganMs = clock.monotonic();
      user.plan(workload.filter(({ atMs }) => atMs >= 0 && atMs < faultsMs));
    },
  };
}

/** Polls the journals until the returned function is called, which polls once more. */
function poll(journals: Journals, clock: Clock): () => Promise<void> {
  const polling = new AbortController();
  const { signal } = polling;
  const polled = (async () => {
    while (!signal.aborted) {
      await journals.poll();
      await sleep(clock, POLL_MS, signal).catch(() => {});
    }
  })();
  return async () => {
    polling.abort();
    await polled;
    await journals.poll();
  };
}

/**
 * Waits until no change and no reconcile has occurred for a while. Returns false on timeout. A slow program
 * does not count as idle.
 */
async function rest(
  options: LiveOptions,
  { changedMs, isLed }: { readonly changedMs: () => number; readonly isLed: () => boolean },
  journals: Journals,
): Promise<boolean> {
  const { clock, calmMs } = options;
  await sleep(clock, calmMs);
  const untilMs = clock.monotonic() + PATIENCE_MS + (isScheduled(options) ? MINUTE_MS : 0);
  const isBetweenSchedules = (): boolean => {
    const second = Math.floor(clock.now() / 1_000) % 60;
    const [from, to] = REST_SECONDS;
    return second >= from && second <= to;
  };
  const isAtWork = (): boolean => {
    const last = journals.entries.findLast(
      ({ event }) => event !== 'started' && event.kind === 'reconcile.started',
    );
    return last !== undefined && clock.now() - last.atMs < QUIET_MS;
  };
  const isQuiet = (): boolean =>
    clock.monotonic() - changedMs() >= QUIET_MS &&
    (!isScheduled(options) || isBetweenSchedules()) &&
    isLed() &&
    !isAtWork();
  /** True if all programs respond quickly, so that reconciles that are due have started. */
  const isPrompt = async (): Promise<boolean> => {
    const askedMs = clock.monotonic();
    return (await journals.poll()) && clock.monotonic() - askedMs < PROMPT_MS;
  };
  while (!isQuiet() || !(await isPrompt()) || !isQuiet()) {
    if (clock.monotonic() > untilMs) return false;
    await sleep(clock, 100);
  }
  return true;
}
