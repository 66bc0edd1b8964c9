import type { Scheme } from '../../api/kinds/scheme.ts';
import { type Clock, sleep } from '../../base/clock/clock.ts';
import { withWallOffset } from '../../base/clock/offset.ts';
import type { Random } from '../../base/random/random.ts';
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
  /** How long faults strike, and how long nothing fails then at least, milliseconds. */
  readonly faultsMs: number;
  readonly calmMs: number;
  /** Of an administrator: it follows all there is, and acts as the users do. */
  readonly watching: Client;
  readonly acting: Client;
  /** What was carried to the API server, by whom. */
  readonly carried: CarriedWrites;
  /** Faults of connections, held back until they are to strike. */
  readonly connections: HeldStrikes;
  /** Grows while it runs: what those have struck is added by whoever made them. */
  readonly strikes: LiveStrike[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How old what is there when the controllers start may be. The API server is to be started with its clock that far back. */
export const OLDEST_MS = 3 * DAY_MS;
const POLL_MS = 1_000;
/** So long nothing must have changed for all to have come to rest, and that is waited for. */
const QUIET_MS = 4_000;
const PATIENCE_MS = 60_000;
/** A program that takes longer to answer has not had the processor it needs. */
const PROMPT_MS = 1_000;
/** Pods run no longer than this: minutes would pass before all comes to rest. */
const LONGEST_RUN_MS = 5_000;
/** Time for controllers that were started at rest to show what they make of it. */
const AFTER_REST_MS = 6_000;
/** Jobs fall due at the full minute, and their pods run for a while; this is when neither is likely. */
const REST_SECONDS = [30, 48] as const;

/**
 * A system of real processes: faults for a while, then none, and a look at what it has come to. What happened is recorded
 * from outside, by watches of everything, by the proxies between controllers and API server and from the controllers' own
 * journals, and judged afterwards. The programs are the caller's to start, but for the controller managers, and to end.
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
  const cameToRest = await rest(options, store, journals);
  await stopPolling();
  const restMs = clock.now();
  if (cameToRest) {
    await disturber.restart();
    await sleep(clock, AFTER_REST_MS);
  }
  changes.stop();
  // A schedule that has come round is no answer to the restart.
  const endMs = isScheduled(options) ? Math.ceil(restMs / MINUTE_MS) * MINUTE_MS : Infinity;
  const all = changes.all.filter(({ heardMs }) => heardMs < endMs);
  const programs = [system.server, ...system.managers.map(({ program }) => program)];
  const flaws = [
    ...changes.gaps,
    ...programs.flatMap(({ deaths }) => deaths),
    ...(cameToRest ? [] : [`nothing came to rest within ${PATIENCE_MS} ms without faults`]),
  ];
  const { initial } = changes;
  const { entries } = journals;
  const struck = strikes.map(({ name }) => name);
  return judgeRecording(
    {
      seed,
      startMs,
      ...(cameToRest && { restMs }),
      initial,
      changes: all,
      writes: carried.all,
      entries,
      strikes,
      flaws,
    },
    options.subject.invariants.filter(
      // Of several processes a recording tells what each did, and not in which order.
      (each) => each.onRepeat === undefined && each.ofSharedKeys !== true && !isExcused(each, struck),
    ),
    options.scheme,
  );
}

const isScheduled = ({ subject }: LiveOptions): boolean => subject.controllers.includes('cronjob');

/** What is written for as long as processes run. */
const RESTLESS: ReadonlySet<string> = new Set(['coordination/leases', '/events', 'events/events']);

/** Follows what is stored; users act on it as they see it. */
async function followStore(options: LiveOptions): Promise<{
  readonly changes: ChangeLog;
  /** When something changed last that need not, on the monotonic clock. */
  readonly changedMs: () => number;
  /** Whether every controller that takes turns has had one leader for a while, who has just renewed his lease. */
  readonly isLed: () => boolean;
  /** Does what is to be there at the start, each at the time that the API server shows for it; then that shows the right time. */
  readonly letUsersPrepare: () => Promise<void>;
  /** Does the rest in its time. */
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
    endsJobs: !subject.controllers.includes('job'),
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

/** Asks for the journals again and again, until it is told to stop and has done so once more. */
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

/** Waits until nothing has changed or been done for a while, and not for want of a processor; false when that does not come. */
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
      ({ event }) => event !== 'started' && event.kind === 'pass.started',
    );
    return last !== undefined && clock.now() - last.atMs < QUIET_MS;
  };
  const isQuiet = (): boolean =>
    clock.monotonic() - changedMs() >= QUIET_MS &&
    (!isScheduled(options) || isBetweenSchedules()) &&
    isLed() &&
    !isAtWork();
  /** Whose program answers has had its turn: what was due in it has been begun. */
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
