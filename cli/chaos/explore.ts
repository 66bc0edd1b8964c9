import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { orchVocabulary } from '../../api/vocabulary/index.ts';
import { createSystemClock } from '../../base/clock/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
import {
  type Bounds,
  type ControllerExploration,
  type Progress,
  type Size,
  type Visits,
  createGroupThreads,
  describeBounds,
  describeEstimate,
  describeExploration,
  describeWalks,
  estimate,
  explorationChecks,
  exploreController,
  faultKinds,
  heapUsed,
  smallerThan,
  visitsOf,
  walkChecks,
  walkController,
} from '../../chaos/explore/index.ts';
import { explorable, subjectOf, workloads, workloadsOf } from '../../chaos/explore/scenarios/index.ts';
import {
  type HuntedMutant,
  type Hunter,
  createHunter,
  describeMutant,
  describeScore,
  mutantCheck,
  mutantNamed,
  mutantsOf,
  scoreOf,
  sieveBugs,
} from '../../chaos/mutants/index.ts';
import {
  type ExploredMachine,
  describeExplored,
  exploredOf,
  machinePartsOf,
} from '../../chaos/coverage/index.ts';
import {
  describeVisit,
  describeWay,
  exhibitsOf,
  isFound,
  mutantOf,
  visit,
} from '../../chaos/museum/index.ts';
import type { Check } from '../../chaos/report/index.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { type ExploredSubject, loadExplored } from './explore-module.ts';
import { writeChecks } from './report.ts';
import {
  chaosCoverageFlags,
  chaosExploreFlags,
  chaosMuseumFlags,
  chaosMutantsFlags,
} from './explore-flags.ts';
import { type FlagValues, UsageError, parseFlags } from '../flags/flags.ts';

const EXIT_CODES = { pass: 0, fail: 1, unknown: 2 } as const;
const clock = createSystemClock();

/** Result of a search or of random walks, and the text for standard output. */
interface Explored {
  readonly verdict: keyof typeof EXIT_CODES;
  readonly text: string;
  readonly checks: readonly Check[];
}

/**
 * Runs `orch chaos explore WORKLOAD`; `*` explores all workloads, one after another. With `--module`, the
 * workload is a controller of the module, and without a name each of them. Resolves to the exit code: 0 PASS,
 * 1 FAIL, 2 UNKNOWN. For several workloads it is the worst one, FAIL before UNKNOWN.
 */
export async function chaosExplore([first = '', ...rest]: readonly string[]): Promise<number> {
  const [controller, argv] = first.startsWith('-') ? ['', [first, ...rest]] : [first, rest];
  const flags = parseFlags(chaosExploreFlags, argv);
  const { faults, lag, leaders } = flags;
  const all: Explored[] = [];
  for (const [name, objects, subjectFor] of await exploredBy(controller, argv, flags)) {
    const search = flags.walks > 0 ? takeWalks : takeEveryWay;
    const explored = await search({ controller: name, objects, faults, lag, leaders }, { flags, subjectFor });
    process.stdout.write(explored.text);
    all.push(explored);
  }
  if (flags.report !== '')
    await writeChecks(
      flags.report,
      `orch chaos explore ${controller}`,
      all.flatMap(({ checks }) => checks),
    );
  return exitCodeOf(new Set(all.map(({ verdict }) => verdict)));
}

/** Returns the subject of a workload with a number of objects. */
type SubjectFor = (objects: number) => ExploredSubject;

/** Returns the workloads to explore with their numbers of objects. */
async function exploredBy(
  controller: string,
  argv: readonly string[],
  flags: ExploreFlags,
): Promise<readonly (readonly [name: string, objects: number, subjectFor: SubjectFor])[]> {
  if (flags.module === '')
    return (controller === '*' ? workloads : [controller]).map((name) => [
      name,
      flags.objects,
      (objects) => subjectNamed(name, objects),
    ]);
  if (argv.some((each) => /^--objects\b/.test(each)))
    throw new UsageError('--objects cannot be combined with --module, whose scenario has its own objects');
  const subjects = await loadExplored(resolve(flags.module), controller);
  return subjects.map((subject) => [subject.definition.name, subject.scenario.objects.length, () => subject]);
}

/** Returns the exit code of the worst verdict, FAIL before UNKNOWN. */
const exitCodeOf = (verdicts: ReadonlySet<keyof typeof EXIT_CODES>): number =>
  EXIT_CODES[(['fail', 'unknown'] as const).find((bad) => verdicts.has(bad)) ?? 'pass'];

type ExploreFlags = FlagValues<typeof chaosExploreFlags>;

/** Flags and subject of the searches of one workload. */
interface Exploring {
  readonly flags: ExploreFlags;
  readonly subjectFor: SubjectFor;
}

async function takeEveryWay(bounds: Bounds, exploring: Exploring): Promise<Explored> {
  const { flags } = exploring;
  const expected = flags.estimate ? await estimated(bounds, exploring) : undefined;
  if (flags.estimate) process.stdout.write(`${describeEstimate(expected)}\n`);
  const result = await search(bounds, exploring, expected?.ms);
  return {
    verdict: result.verdict,
    text: describeExploration(bounds, result),
    checks: explorationChecks(bounds, result),
  };
}

/** Estimated factor by which each additional fault or leader increases the search time. */
const MORE_TAKES = 5;

/**
 * Estimates the size of a search from smaller searches. Returns undefined if a smaller search does not pass,
 * because the requested search then reports the reason.
 */
async function estimated(bounds: Bounds, exploring: Exploring): Promise<Size | undefined> {
  const smaller = smallerThan(bounds);
  if (!smaller) return undefined;
  const { unstruck, struck, calm } = smaller;
  const first = await passing(unstruck, exploring, 0);
  const second = first && (await passing(struck, exploring, first.ms * MORE_TAKES));
  const third = second && (calm === unstruck ? first : await passing(calm, exploring, first.ms * MORE_TAKES));
  return third && estimate(bounds, { unstruck: first, struck: second, calm: third });
}

async function passing(bounds: Bounds, exploring: Exploring, expectedMs: number): Promise<Size | undefined> {
  const result = await search(bounds, exploring, expectedMs);
  return result.verdict === 'pass' ? result : undefined;
}

async function takeWalks(bounds: Bounds, exploring: Exploring): Promise<Explored> {
  const { flags } = exploring;
  const walked = await walkController({
    ...searched(bounds, exploring),
    apart: flags.apart,
    walks: flags.walks,
    longest: flags['walk-steps'],
    random: createSeededRandom(flags.seed),
  });
  return {
    verdict: walked.because !== undefined ? 'unknown' : walked.nearest === undefined ? 'pass' : 'fail',
    text: describeWalks(bounds, walked),
    checks: walkChecks(bounds, walked),
  };
}

/** Expected duration in milliseconds up to which a search runs without worker threads. */
const SHORT_MS = 5_000;

function search(
  bounds: Bounds,
  exploring: Exploring,
  expectedMs: number = Infinity,
): Promise<ControllerExploration> {
  const { flags } = exploring;
  const options = searched(bounds, exploring);
  const { faults, faultKinds: kinds, lag, leaders, conditions, postpones, maxStates } = options;
  const { controller: workload, objects } = bounds;
  const onProgress = process.stderr.isTTY
    ? ({ states, waiting, depth }: Progress) =>
        process.stderr.write(`\r${states} states, ${waiting} waiting, depth ${depth}   \r`)
    : () => {};
  // Threads load workloads by name, and the scenario of a module has a single group.
  const isLong = flags.module === '' && expectedMs > SHORT_MS && availableParallelism() > 1;
  const task = { workload, objects, mutant: flags.mutant, faults, faultKinds: kinds, lag, leaders };
  return exploreController({
    ...options,
    apart: flags.apart,
    onProgress,
    ...(isLong
      ? { threads: createGroupThreads({ ...task, conditions, postpones, maxStates }, onProgress) }
      : {}),
  });
}

function searched({ objects, faults, lag, leaders }: Bounds, { flags, subjectFor }: Exploring) {
  const { definition, scenario, kinds } = subjectFor(objects);
  return {
    definition: mutated(definition, flags.mutant),
    scenario,
    kinds,
    faults,
    faultKinds: flags['fault-kinds'].map((name) => {
      const found = faultKinds.find((each) => each === name);
      if (!found)
        throw new UsageError(`unknown fault ${JSON.stringify(name)}: expected ${faultKinds.join(', ')}`);
      return found;
    }),
    lag,
    leaders,
    conditions: flags.conditions,
    postpones: flags.postpone,
    maxStates: flags['max-states'],
    maxMs: flags['max-seconds'] * 1000,
    clock,
    memoryUsed: heapUsed,
  };
}

function subjectNamed(controller: string, objects: number): ExploredSubject {
  const subject = subjectOf(controller, orchVocabulary, objects);
  if (!subject)
    throw new UsageError(
      `no controller ${JSON.stringify(controller)} to explore: expected ${workloads.join(', ')}`,
    );
  return subject;
}

function mutated(definition: ControllerDefinition, name: string): ControllerDefinition {
  if (name === '') return definition;
  const found = mutantNamed(definition, name);
  if (!found) {
    const known = mutantsOf(definition).map((each) => each.name);
    throw new UsageError(`unknown mutant ${JSON.stringify(name)}: expected ${known.join(', ')}`);
  }
  return found.mutate(definition);
}

/**
 * Runs `orch chaos mutants`. Resolves with 0 if every mutant is caught that differs from its controller,
 * otherwise with 1.
 */
export async function chaosMutants(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(chaosMutantsFlags, argv);
  if (flags.source) return (await import('./source-mutants.ts')).huntSourceMutants(argv, flags);
  const hunter = createHunter({ clock, maxStates: flags['max-states'] });
  if (flags.patterns) return huntPatterns(hunter, flags.report);
  const named = flags.controllers.includes('*') ? explorable : flags.controllers;
  const hunted: HuntedMutant[] = [];
  for (const controller of named)
    for (const mutant of mutantsOf(subjectNamed(controller, 1).definition)) {
      const each = { mutant, hunt: await hunter.hunt(mutant) };
      hunted.push(each);
      process.stdout.write(describeMutant(each));
    }
  process.stdout.write(describeScore(hunted));
  if (flags.report !== '') await writeChecks(flags.report, 'orch chaos mutants', hunted.map(mutantCheck));
  const { caught, telling } = scoreOf(hunted);
  return caught === telling ? 0 : 1;
}

/**
 * Rebuilds the bugs of the Sieve study and searches for them. Resolves with 0 if every bug is caught,
 * otherwise with 1.
 */
async function huntPatterns(hunter: Hunter, report: string): Promise<number> {
  const checks: Check[] = [];
  let caught = 0;
  for (const bug of sieveBugs) {
    const mutant = mutantOf(bug);
    const each = { mutant, hunt: await hunter.hunt(mutant) };
    if (each.hunt.verdict === 'caught') caught++;
    process.stdout.write(`${bug.id.padEnd(42)} ${describeMutant(each)}`);
    checks.push({ ...mutantCheck(each), name: bug.id, says: bug.there });
  }
  process.stdout.write(`caught ${caught} of ${sieveBugs.length}\n`);
  if (report !== '') await writeChecks(report, 'orch chaos mutants --patterns', checks);
  return caught === sieveBugs.length ? 0 : 1;
}

/**
 * Runs `orch chaos coverage`. Resolves with 0; with 1 if a search found a violation, whose trace is printed;
 * with 2 if a search reached its bound. The coverage includes everything that these searches visited.
 */
export async function chaosCoverage(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(chaosCoverageFlags, argv);
  const { objects, faults } = flags;
  const named = flags.controllers.includes('*') ? explorable : flags.controllers;
  const machines: ExploredMachine[] = [];
  const reached = new Map<string, boolean>();
  const verdicts = new Set<keyof typeof EXIT_CODES>();
  for (const controller of named) {
    const seen: Visits[] = [];
    for (const workload of workloadsOf(controller)) {
      const { definition, scenario } = subjectNamed(workload, objects);
      const bounds = { faults, leaders: 1, lag: 1, maxStates: flags['max-states'] };
      const result = await exploreController({ definition, scenario, ...bounds, clock });
      seen.push(result.visits);
      verdicts.add(result.verdict);
      for (const { id } of scenario.invariants)
        reached.set(id, (reached.get(id) ?? false) || !result.vacuous.includes(id));
      const described = { controller: workload, objects, faults, lag: 1, leaders: 1 };
      process.stdout.write(
        result.verdict === 'pass'
          ? `${describeBounds(described)}: PASS, ${result.states} states\n`
          : describeExploration(described, result),
      );
    }
    const { machine } = subjectNamed(controller, objects).definition;
    machines.push(exploredOf(machinePartsOf(controller, machine), visitsOf(seen)));
  }
  process.stdout.write(`\n${describeExplored(machines)}`);
  const vacuous = [...reached].flatMap(([id, isReached]) => (isReached ? [] : [id]));
  process.stdout.write(`invariants whose premise never occurred: ${vacuous.join(', ') || 'none'}\n`);
  return exitCodeOf(verdicts);
}

/** Runs `orch chaos museum [ISSUE]`. Resolves with 0 if every bug is found, otherwise with 1. */
export async function chaosMuseum(argv: readonly string[]): Promise<number> {
  const [first = ''] = argv;
  const issue = first.startsWith('-') ? '' : first;
  const flags = parseFlags(chaosMuseumFlags, issue === '' ? argv : argv.slice(1));
  const shown = exhibitsOf(issue);
  if (shown.length === 0)
    throw new UsageError(
      `no exhibit ${JSON.stringify(issue)}: expected ${exhibitsOf('')
        .map((each) => each.issue)
        .join(', ')}`,
    );
  const hunter = createHunter({ clock, maxStates: flags['max-states'] });
  let found = 0;
  for (const exhibit of shown) {
    const seen = await visit(exhibit, hunter);
    if (isFound(seen)) found += 1;
    process.stdout.write(describeVisit(seen));
    if (issue !== '') process.stdout.write(describeWay(seen));
  }
  process.stdout.write(`found ${found} of ${shown.length}\n`);
  return found === shown.length ? 0 : 1;
}
