import type { Scheme } from '../../api/kinds/scheme.ts';
import { type Clock, sleep } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';
import type { Client } from '../../runtime/index.ts';
import type { LoadedSubject } from '../run/subject.ts';
import { type Action, createUser } from '../world/user.ts';
import type { CarriedWrites } from './carried.ts';
import { createChangeLog } from './changes.ts';
import { type LiveStrike, createDisturber } from './disturber.ts';
import type { HeldStrikes, ProcessFault } from './faults.ts';
import { type JudgedRecording, createPresent, judgeRecording } from './recording.ts';
import { type LiveSystem, createJournals } from './system.ts';

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
const POLL_MS = 1_000;
/** So long nothing must have changed for all to have come to rest, and that is waited for. */
const QUIET_MS = 4_000;
const PATIENCE_MS = 60_000;
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
  const { system, scheme, clock, random, seed, subject, carried, strikes } = options;
  const journals = createJournals(system.managers, clock);
  const changes = createChangeLog(options.watching, scheme, clock);
  const present = createPresent(clock);
  await changes.start();
  for (const change of changes.initial) present.apply(change);
  const startMs = clock.now();
  let startedMs = clock.monotonic();
  const user = createUser({
    client: options.acting,
    scheme,
    timeline: {
      get nowMs() {
        return clock.monotonic() - startedMs;
      },
      plan: (delayMs, _, run) => void clock.setTimeout(run, Math.max(0, delayMs)),
    },
    live: present.live,
    nowMs: () => clock.now(),
    endsJobs: !subject.controllers.includes('job'),
    longestRunMs: LONGEST_RUN_MS,
  });
  const quiet = { sinceMs: clock.monotonic() };
  changes.onChange = (change) => {
    user.onCommit(present.apply(change));
    if (!RESTLESS.has(change.resource)) quiet.sinceMs = clock.monotonic();
  };
  const disturber = createDisturber({
    system,
    faults: options.faults,
    random,
    clock,
    journals,
    onStrike: (strike) => strikes.push(strike),
  });
  const polling = new AbortController();
  const polled = poll(journals, clock, polling.signal);
  await disturber.restart();
  for (const action of options.workload) if (action.atMs < 0) await user.act(action);
  startedMs = clock.monotonic();
  user.plan(options.workload.filter(({ atMs }) => atMs >= 0 && atMs < options.faultsMs));
  options.connections.active = true;
  await disturber.run(clock.monotonic() + options.faultsMs);
  options.connections.active = false;
  await disturber.heal();
  const isScheduled = subject.controllers.includes('cronjob');
  const cameToRest = await rest(clock, quiet, options.calmMs, isScheduled);
  await journals.poll();
  const restMs = clock.now();
  polling.abort();
  await polled;
  await disturber.restart();
  await sleep(clock, AFTER_REST_MS);
  changes.stop();
  const flaws = [
    ...changes.gaps,
    ...[system.server, ...system.managers.map(({ program }) => program)].flatMap(({ deaths }) => deaths),
    ...(cameToRest ? [] : [`nothing came to rest within ${PATIENCE_MS} ms without faults`]),
  ];
  const { initial } = changes;
  // A schedule that has come round is no answer to the restart.
  const endMs = isScheduled ? Math.ceil(restMs / MINUTE_MS) * MINUTE_MS : Infinity;
  const all = changes.all.filter(({ heardMs }) => heardMs < endMs);
  const { entries } = journals;
  return judgeRecording(
    { seed, startMs, restMs, initial, changes: all, writes: carried.all, entries, strikes, flaws },
    subject.invariants.filter(({ onRepeat }) => onRepeat === undefined),
    scheme,
  );
}

/** What is written for as long as processes run. */
const RESTLESS: ReadonlySet<string> = new Set(['coordination/leases', '/events', 'events/events']);

async function poll(journals: { poll(): Promise<void> }, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await journals.poll();
    await sleep(clock, POLL_MS, signal).catch(() => {});
  }
}

/** Waits until nothing has changed for a while; false when that does not come. */
async function rest(
  clock: Clock,
  quiet: { readonly sinceMs: number },
  calmMs: number,
  isScheduled: boolean,
): Promise<boolean> {
  await sleep(clock, calmMs);
  const untilMs = clock.monotonic() + PATIENCE_MS + (isScheduled ? MINUTE_MS : 0);
  const isRest = (): boolean => {
    const second = Math.floor(clock.now() / 1_000) % 60;
    const [from, to] = REST_SECONDS;
    return (
      clock.monotonic() - quiet.sinceMs >= QUIET_MS && (!isScheduled || (second >= from && second <= to))
    );
  };
  while (!isRest()) {
    if (clock.monotonic() > untilMs) return false;
    await sleep(clock, 100);
  }
  return true;
}
