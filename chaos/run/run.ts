import type { AnyKind } from '../../api/kinds/index.ts';
import { type Product, vocabularyOf } from '../../api/vocabulary/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { ControllerSettings } from '../../controllers/index.ts';
import {
  type ControllerDefinition,
  type Journal,
  type JournalEntry,
  type JournalEvent,
  type JournalQuery,
  type ReconcileEnd,
  offJournal,
} from '../../runtime/index.ts';
import type { Observer } from '../coverage/observe.ts';
import { wrongIndexIn } from '../oracles/runtime/index.ts';
import type { Happening } from '../oracles/runtime/observation.ts';
import { type Commit, type Invariant, type ProcessEntry, isExcused } from '../invariants/invariant.ts';
import { type Deviation, type Tape, recordedTape } from '../tape/tape.ts';
import type { FaultName } from '../world/fault-kinds.ts';
import { NO_ODDS, type Strike, type Swarm } from '../world/faults.ts';
import type { OnStep } from '../world/timeline.ts';
import type { Action } from '../world/user.ts';
import { type WorldOptions, createWorld } from '../world/world.ts';
import { type Belief, beliefs } from './belief.ts';
import { compareWithCalm } from './compared.ts';
import { type Failure, type Tally, createJudge } from './judge.ts';

/** Parameters that determine a run together with the tape. */
export interface RunScenario {
  readonly product: Product;
  readonly seed: number;
  readonly startMs: number;
  readonly controllers: readonly string[];
  readonly managers: number;
  /**
   * True if each controller runs on one manager at a time. With shared keys, only controllers that require a
   * lease have one. Default false.
   */
  readonly leases?: boolean;
  /**
   * True if the managers share keys over BullMQ on a simulated Redis. False, the default, for in-process
   * queues.
   */
  readonly sharedKeys?: boolean;
  /** Resources that the API server serves, in the format of `resourceOf`; default all. */
  readonly resources?: readonly string[];
  /** True if the API server sends bookmarks, which is optional for servers. */
  readonly bookmarks: boolean;
  /** True if controllers send Events; default true. */
  readonly events?: boolean;
  /** Duration of the phase with faults, and of the phase without, in virtual milliseconds. */
  readonly faultsMs: number;
  readonly calmMs: number;
  /** True to restart the controllers in the quiescent world and to check that they write nothing. */
  readonly restarts: boolean;
  /** True to check the same after enqueueing every key again instead of a restart. Default false. */
  readonly repeats?: boolean;
  /** True to compare the run with the same run without faults; default false. */
  readonly compared?: boolean;
  readonly workload: readonly Action[];
  /** Faults that may occur, which decides the invariants to skip. Default those of the swarm. */
  readonly mayStrike?: readonly FaultName[];
}

/** The code under test. A trace names it but does not contain it. */
export interface Subject {
  readonly definitions?: (settings: ControllerSettings) => readonly ControllerDefinition[];
  readonly kinds?: readonly AnyKind[];
  readonly invariants: readonly Invariant[];
  /** Replaces BullMQ and Redis in runs with shared keys. The default changes nothing. */
  readonly queueServer?: WorldOptions['queueServer'];
}

/** Verdict of a run. UNKNOWN means that the run reached its step limit. */
export type RunVerdict = 'PASS' | 'FAIL' | 'UNKNOWN';

export interface Outcome {
  readonly verdict: RunVerdict;
  readonly failure?: Failure;
  /** Reason of the verdict UNKNOWN. */
  readonly reason?: string;
  readonly beliefs: readonly Belief[];
  /** Indexes that did not equal their recomputation when the run failed. */
  readonly wrongIndexes: readonly string[];
  readonly tallies: readonly Tally[];
  readonly strikes: readonly Strike[];
  /** Reasons for which user actions were rejected. */
  readonly refused: readonly string[];
  readonly deviations: readonly Deviation[];
  readonly steps: number;
  readonly commits: number;
  readonly hash: string;
}

export interface RunOptions {
  readonly scenario: RunScenario;
  readonly subject: Subject;
  readonly tape: Tape;
  readonly swarm: Swarm;
  /** Receives all journal entries; default none. */
  readonly journal?: Journal;
  /** Records the machine parts that the run covers. */
  readonly observer?: Observer;
  /** Maximum number of steps; default 2 million. */
  readonly maxSteps?: number;
  readonly onStep?: OnStep;
  readonly onCommit?: (commit: Commit) => void;
  /** Called with each journal entry of a process. */
  readonly onEntry?: (process: string, event: JournalEvent) => void;
  /** Called with each observation inside a process. Observing does not change the run. */
  readonly onHappening?: (process: string, happening: Happening) => void;
}

/** Virtual milliseconds in which restarted controllers can act. No schedule is due in this time. */
const AFTER_REST_MS = 20_000;

/** A journal that reports each entry and passes the entry on to the next journal. */
class ObservedJournal implements Journal {
  readonly enabled = true;
  readonly #observe: (event: JournalEvent) => void;
  readonly #next: Journal;

  constructor(observe: (event: JournalEvent) => void, next: Journal) {
    this.#observe = observe;
    this.#next = next;
  }

  get size(): number {
    return this.#next.size;
  }

  get bytes(): number {
    return this.#next.bytes;
  }

  record(event: JournalEvent): void {
    this.#observe(event);
    this.#next.record(event);
  }

  read(query?: JournalQuery): readonly JournalEntry[] {
    return this.#next.read(query);
  }

  subscribe(listener: (entry: JournalEntry) => void): () => void {
    return this.#next.subscribe(listener);
  }

  around(fromMs: number, toMs: number): readonly JournalEntry[] {
    return this.#next.around(fromMs, toMs);
  }

  finished(visit: (reconcile: ReconcileEnd) => void): void {
    this.#next.finished(visit);
  }
}

/** True if the invariant applies: its controller runs, and no possible fault excuses it. */
const isAsked = (
  invariant: Invariant,
  { controllers: selection, sharedKeys = false }: RunScenario,
  mayStrike: readonly FaultName[],
): boolean =>
  (sharedKeys ? invariant.ofOwnKeys !== true : invariant.ofSharedKeys !== true) &&
  (invariant.controller === '*' || selection.includes('*') || selection.includes(invariant.controller)) &&
  !isExcused(invariant, mayStrike);

/** Returns the history of the same run without faults; undefined if that run does not finish. */
async function calmHistory({
  scenario,
  subject,
  maxSteps,
}: RunOptions): Promise<readonly Commit[] | undefined> {
  const commits: Commit[] = [];
  const { verdict } = await run({
    scenario: { ...scenario, restarts: false, repeats: false, compared: false },
    subject: { ...subject, invariants: [] },
    tape: recordedTape([]),
    swarm: { faults: [], budget: 0, odds: NO_ODDS, jitter: 0 },
    onCommit: (commit) => commits.push(commit),
    ...(maxSteps !== undefined && { maxSteps }),
  });
  return verdict === 'PASS' ? commits : undefined;
}

/**
 * Runs a world: a phase with faults, a phase without, and a final evaluation. The run ends at the first
 * violation.
 */
export async function run(options: RunOptions): Promise<Outcome> {
  const { scenario, subject, tape, swarm, maxSteps = 2_000_000, journal = offJournal } = options;
  const { observer, onEntry } = options;
  let commits = 0;
  const recorded: Commit[] = [];
  /** State of the quiescent world: untouched, or after a restart or repetition. */
  let afterwards: 'nothing' | 'restarted' | 'repeated' = 'nothing';
  let held: readonly Belief[] | undefined;
  const isJournalObserved = subject.invariants.some(({ onEntry }) => onEntry !== undefined);
  const wrongIndexes: string[] = [];
  const noteBeliefs = (commit?: Commit): void => {
    if (judge.failure === undefined || held !== undefined) return;
    held = beliefs(world.processes(), world.live, commit);
    for (const { observeQuiescence } of world.processes()) observeQuiescence(world.live);
  };
  const world = createWorld({
    ...scenario,
    vocabulary: vocabularyOf(scenario.product),
    tape,
    swarm,
    journalOf(process) {
      const kept = observer?.journalOf(process, journal) ?? journal;
      const own = onEntry ? new ObservedJournal((event) => onEntry(process.name, event), kept) : kept;
      if (!isJournalObserved) return own;
      const note = (event: ProcessEntry['event']): void => {
        if (judge.failure !== undefined || !process.alive || afterwards === 'restarted') return;
        if (!judge.handles(event === 'started' ? event : event.kind)) return;
        const { nowMs } = world.timeline;
        const atMs = scenario.startMs + nowMs;
        judge.onEntry({ process: process.name, atMs, wallMs: process.clock.now(), event });
      };
      note('started');
      return new ObservedJournal(note, own);
    },
    onRequest: observer?.onRequest,
    ...((options.onHappening ||
      subject.invariants.some(({ onObservation }) => onObservation !== undefined)) && {
      onHappening(happening, { name }) {
        options.onHappening?.(name, happening);
        const wrongIndex = judge.failure && held && wrongIndexIn(happening);
        if (wrongIndex !== undefined) wrongIndexes.push(`${name}: ${wrongIndex}`);
        if (judge.failure !== undefined || afterwards === 'restarted') return;
        judge.onObservation({ ...happening, process: name, atMs: world.timeline.nowMs });
      },
    }),
    ...(subject.definitions && { definitions: subject.definitions }),
    ...(subject.kinds && { kinds: subject.kinds }),
    ...(subject.queueServer && { queueServer: subject.queueServer }),
    ...(options.onStep && { onStep: options.onStep }),
    onCommit(commit, live) {
      commits++;
      observer?.onCommit(commit);
      if (judge.failure !== undefined) return;
      if (afterwards === 'restarted') judge.onRestart(commit, live);
      else if (afterwards === 'repeated') judge.onRepeat(commit, live);
      else judge.onCommit(commit, live);
      options.onCommit?.(commit);
      if (scenario.compared && afterwards === 'nothing') recorded.push(commit);
      noteBeliefs(commit);
    },
  });
  const { timeline } = world;
  const { mayStrike = swarm.faults } = scenario;
  const invariants = subject.invariants.filter((each) => isAsked(each, scenario, mayStrike));
  const judge = createJudge(invariants, () => ({ step: timeline.steps, atMs: timeline.nowMs }));
  let reason: string | undefined;
  const done = (): boolean => judge.failure !== undefined || timeline.steps >= maxSteps;
  try {
    await world.start();
    await world.run(scenario.faultsMs, done);
    world.heal();
    await world.run(scenario.faultsMs + scenario.calmMs, done);
    if (!done()) {
      world.observeQuiescence();
      judge.atRest(world.live);
    }
    if ((scenario.restarts || scenario.repeats) && !done()) {
      afterwards = scenario.restarts ? 'restarted' : 'repeated';
      if (scenario.restarts) world.restart();
      else world.repeat();
      await world.run(scenario.faultsMs + scenario.calmMs + AFTER_REST_MS, done);
    }
    noteBeliefs();
    if (judge.failure === undefined && timeline.steps >= maxSteps)
      reason = `${maxSteps} steps did not reach the end of the run`;
  } catch (thrown) {
    reason = messageOf(thrown);
  }
  const calm =
    scenario.compared && judge.failure === undefined && reason === undefined
      ? await calmHistory(options)
      : undefined;
  const compared =
    calm &&
    compareWithCalm(calm, recorded, world.faults.struck, scenario.startMs, vocabularyOf(scenario.product));
  const failure =
    judge.failure ?? (compared?.broken && { ...compared.broken, step: timeline.steps, atMs: timeline.nowMs });
  return {
    verdict: failure !== undefined ? 'FAIL' : reason !== undefined ? 'UNKNOWN' : 'PASS',
    ...(failure && { failure }),
    ...(reason !== undefined && { reason }),
    beliefs: held ?? [],
    wrongIndexes,
    tallies: [...judge.tallies(), ...(compared?.tallies ?? [])],
    strikes: world.faults.struck,
    refused: world.done.flatMap(({ error }) => (error === undefined ? [] : [error])),
    deviations: tape.deviations(),
    steps: timeline.steps,
    commits,
    hash: timeline.hash,
  };
}
