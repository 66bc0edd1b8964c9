import type { AnyKind } from '../../api/kinds/scheme.ts';
import { type Product, vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import { messageOf } from '../../base/errors/coded.ts';
import type { ControllerSettings } from '../../controllers/index.ts';
import {
  type ControllerDefinition,
  type Journal,
  type JournalEntry,
  type JournalEvent,
  type JournalQuery,
  offJournal,
} from '../../runtime/index.ts';
import type { Observer } from '../coverage/observe.ts';
import { type Commit, type Invariant, type ProcessEntry, isExcused } from '../invariants/invariant.ts';
import type { Deviation, Tape } from '../tape/tape.ts';
import type { FaultName } from '../world/fault-kinds.ts';
import type { Strike, Swarm } from '../world/faults.ts';
import type { OnStep } from '../world/timeline.ts';
import type { Action } from '../world/user.ts';
import { type WorldOptions, createWorld } from '../world/world.ts';
import { type Belief, beliefs } from './belief.ts';
import { type Failure, type Tally, createJudge } from './judge.ts';

/** Everything that a run follows from, but for the tape. */
export interface Scenario {
  readonly product: Product;
  readonly seed: number;
  readonly startMs: number;
  readonly controllers: readonly string[];
  readonly managers: number;
  /** Whether each controller, where keys are shared those that must be, is run by one manager at a time; default not. */
  readonly leases?: boolean;
  /** Whether the managers share their keys, over BullMQ on a Redis of the world; default each has its own in process. */
  readonly sharedKeys?: boolean;
  /** What the API server serves, as `resourceOf` writes it; default all there is. */
  readonly resources?: readonly string[];
  /** Whether the API server sends bookmarks on watches, as servers may. */
  readonly bookmarks: boolean;
  /** Whether what the controllers have to say of their work is sent, as Events; default it is. */
  readonly events?: boolean;
  /** Virtual milliseconds with faults, then without. */
  readonly faultsMs: number;
  readonly calmMs: number;
  /** Whether the controllers are started anew when all has come to rest, to see that they leave it so. */
  readonly restarts: boolean;
  /** Whether every key is brought up again instead, for the same; default not. */
  readonly repeats?: boolean;
  readonly workload: readonly Action[];
  /** Which faults may strike, for invariants that cannot hold under one of them; default those of the swarm. */
  readonly mayStrike?: readonly FaultName[];
}

/** What is put to the test: code, which a trace names and does not hold. */
export interface Subject {
  readonly definitions?: (settings: ControllerSettings) => readonly ControllerDefinition[];
  readonly kinds?: readonly AnyKind[];
  readonly invariants: readonly Invariant[];
  /** Where keys are shared, what is put in place of BullMQ and Redis, made of them; default themselves. */
  readonly queueServer?: WorldOptions['queueServer'];
}

/** UNKNOWN: the run came to no end within its bound. */
export type Verdict = 'PASS' | 'FAIL' | 'UNKNOWN';

export interface Outcome {
  readonly verdict: Verdict;
  readonly failure?: Failure;
  /** Why it is UNKNOWN. */
  readonly reason?: string;
  readonly beliefs: readonly Belief[];
  readonly tallies: readonly Tally[];
  readonly strikes: readonly Strike[];
  /** What the user asked for in vain, by reason. */
  readonly refused: readonly string[];
  readonly deviations: readonly Deviation[];
  readonly steps: number;
  readonly commits: number;
  readonly hash: string;
}

export interface RunOptions {
  readonly scenario: Scenario;
  readonly subject: Subject;
  readonly tape: Tape;
  readonly swarm: Swarm;
  /** Default none is kept. */
  readonly journal?: Journal;
  /** Notes what of the controllers the run came by. */
  readonly observer?: Observer;
  /** Steps after which it is given up; default two million. */
  readonly maxSteps?: number;
  readonly onStep?: OnStep;
  readonly onCommit?: (commit: Commit) => void;
  /** What a process, by its name, notes in its journal. */
  readonly onEntry?: (process: string, event: JournalEvent) => void;
}

/** Time for controllers that were started at rest to show what they make of it; nothing falls due meanwhile. */
const AFTER_REST_MS = 20_000;

/** A journal that passes everything on, and tells of it. */
class HeardJournal implements Journal {
  readonly enabled = true;
  readonly #hear: (event: JournalEvent) => void;
  readonly #next: Journal;

  constructor(hear: (event: JournalEvent) => void, next: Journal) {
    this.#hear = hear;
    this.#next = next;
  }

  get size(): number {
    return this.#next.size;
  }

  get bytes(): number {
    return this.#next.bytes;
  }

  record(event: JournalEvent): void {
    this.#hear(event);
    this.#next.record(event);
  }

  read(query?: JournalQuery): readonly JournalEntry[] {
    return this.#next.read(query);
  }

  subscribe(listener: (entry: JournalEntry) => void): () => void {
    return this.#next.subscribe(listener);
  }
}

/** Whether it can hold: those who see to it run, and no fault may strike under which they cannot. */
const isAsked = (
  invariant: Invariant,
  { controllers: selection, sharedKeys = false }: Scenario,
  mayStrike: readonly FaultName[],
): boolean =>
  (sharedKeys || invariant.ofSharedKeys !== true) &&
  (invariant.controller === '*' || selection.includes('*') || selection.includes(invariant.controller)) &&
  !isExcused(invariant, mayStrike);

/** One life of a world: faults for a while, then none, and a look at what it has come to. Ends at the first failure. */
export async function run(options: RunOptions): Promise<Outcome> {
  const { scenario, subject, tape, swarm, maxSteps = 2_000_000, journal = offJournal } = options;
  const { observer, onEntry } = options;
  let commits = 0;
  /** What has been done about what had come to rest. */
  let afterwards: 'nothing' | 'restarted' | 'repeated' = 'nothing';
  let held: readonly Belief[] | undefined;
  const isHeard = subject.invariants.some(({ onEntry }) => onEntry !== undefined);
  const noteBeliefs = (commit?: Commit): void => {
    if (judge.failure !== undefined) held ??= beliefs(world.processes(), world.live, commit);
  };
  const world = createWorld({
    ...scenario,
    vocabulary: vocabularyOf(scenario.product),
    tape,
    swarm,
    journalOf(process) {
      const kept = observer?.journalOf(process, journal) ?? journal;
      const own = onEntry ? new HeardJournal((event) => onEntry(process.name, event), kept) : kept;
      if (!isHeard) return own;
      const note = (event: ProcessEntry['event']): void => {
        if (judge.failure !== undefined || !process.alive || afterwards === 'restarted') return;
        if (!judge.heeds(event === 'started' ? event : event.kind)) return;
        const { nowMs } = world.timeline;
        const atMs = scenario.startMs + nowMs;
        judge.onEntry({ process: process.name, atMs, wallMs: process.clock.now(), event });
      };
      note('started');
      return new HeardJournal(note, own);
    },
    onRequest: observer?.onRequest,
    ...(subject.definitions && { definitions: subject.definitions }),
    ...(subject.kinds && { kinds: subject.kinds }),
    ...(subject.queueServer && { queueServer: subject.queueServer }),
    ...(options.onStep && { onStep: options.onStep }),
    onCommit(commit, live) {
      commits++;
      if (judge.failure !== undefined) return;
      if (afterwards === 'restarted') judge.onRestart(commit, live);
      else if (afterwards === 'repeated') judge.onRepeat(commit, live);
      else judge.onCommit(commit, live);
      options.onCommit?.(commit);
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
    if (!done()) judge.atRest(world.live);
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
  const { failure } = judge;
  return {
    verdict: failure !== undefined ? 'FAIL' : reason !== undefined ? 'UNKNOWN' : 'PASS',
    ...(failure && { failure }),
    ...(reason !== undefined && { reason }),
    beliefs: held ?? [],
    tallies: judge.tallies(),
    strikes: world.faults.struck,
    refused: world.done.flatMap(({ error }) => (error === undefined ? [] : [error])),
    deviations: tape.deviations(),
    steps: timeline.steps,
    commits,
    hash: timeline.hash,
  };
}
