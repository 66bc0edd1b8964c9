import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, parse, resolve } from 'node:path';
import { readJson } from '../../api/schema/index.ts';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { createSystemClock } from '../../base/clock/index.ts';
import {
  type Survey,
  type SurveySum,
  type WeightSum,
  createSurveySum,
  createWeightSum,
  describeWeights,
  machinePartsOf,
} from '../../chaos/coverage/index.ts';
import {
  type ChaosReport,
  type ToldFailure,
  causesOf,
  describeCampaign,
  describeStory,
  smallestFailures,
} from '../../chaos/report/index.ts';
import {
  type CampaignReport,
  type CampaignSum,
  type LoadedSubject,
  type Plan,
  type SeedResult,
  type Trace,
  createCampaignSum,
  loadSubject,
  narrate,
  parseTrace,
  runOnWorkers,
  runSeed,
  shrink,
} from '../../chaos/run/index.ts';
import { readActions } from '../../chaos/workload/index.ts';
import {
  type Action,
  type FaultName,
  credentialsOf,
  faultKinds,
  faultsNamed,
  isRedisFault,
  ordinaryFaults,
  sharedKeyFaults,
} from '../../chaos/world/index.ts';
import { createControllers } from '../../controllers/index.ts';
import { chaosReplayFlags, chaosRunFlags } from './run-flags.ts';
import { commandOf, exitCodes, madeNow, platform, showsColour, writeReport } from './report.ts';
import { makeFolder, readParsed, readRequired, writeWhole } from '../files/files.ts';
import { type FlagValues, UsageError, parseFlags } from '../flags/flags.ts';

type RunFlags = FlagValues<typeof chaosRunFlags>;

/** Intervals of progress output, in milliseconds. */
const PROGRESS_MS = { terminal: 1_000, log: 60_000 };
/** Time limit in milliseconds for shrinking the failed run of a report. */
const SHRINKING_MS = 30_000;

/** Returns a predicate that is true until `ms` milliseconds have passed, or always true if `ms` is 0. */
function lasting(ms: number): () => boolean {
  const clock = createSystemClock();
  const untilMs = ms === 0 ? Infinity : clock.monotonic() + ms;
  return () => clock.monotonic() < untilMs;
}

/**
 * Runs `orch chaos run`. Resolves with the exit code: 0 PASS, 1 FAIL, 2 UNKNOWN, 3 VACUOUS unless accepted.
 */
export async function chaosRun(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(chaosRunFlags, argv);
  const module = flags.module === '' ? undefined : resolve(flags.module);
  const subject = await loadSubject(flags.vocabulary, flags.controllers, module);
  const plan = await readPlan(argv, flags, subject);
  const clock = createSystemClock();
  const startMs = clock.monotonic();
  const sum = createSurveySum();
  const weights = createWeightSum();
  // The directory is created before the first seed, so that an unwritable directory is reported immediately.
  if (flags.traces !== '') makeFolder(flags.traces);
  for (const file of [flags.report, flags.weights]) if (file !== '') makeFolder(dirname(file));
  const report = await runSeeds(argv, flags, plan, subject, module, (result) =>
    addCoverage(sum, weights, result),
  );
  const seconds = (clock.monotonic() - startMs) / 1_000;
  if (flags.report !== '') {
    const whole = {
      ...(await detailsOf(report, subject, argv)),
      seconds,
      survey: surveyOf(sum, plan, subject),
    };
    await writeReport(flags.report, whole);
  }
  if (flags.weights !== '') await writeWhole(flags.weights, describeWeights(weights.weights()));
  process.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify({ ...report, seconds }, null, 2)}\n`
      : describeCampaign(report, seconds, {
          colour: showsColour(process.stdout),
          commandOf: (seed) => commandFor(argv, seed),
        }),
  );
  return report.verdict === 'VACUOUS' && flags['accept-vacuous'] ? 0 : exitCodes[report.verdict];
}

/** Adds the coverage of a seed. Only reports and weights need it. */
function addCoverage(sum: SurveySum, weights: WeightSum, result: SeedResult): void {
  const { seed, observed, features = [], tallies, struck } = result;
  if (observed === undefined) return;
  sum.add(seed, observed, struck);
  const premises = tallies.filter(({ reached }) => reached > 0).map(({ id }) => id);
  weights.add({ features, premises, observed });
}

function surveyOf(sum: SurveySum, { product, controllers, faults }: Plan, subject: LoadedSubject): Survey {
  const { settings } = credentialsOf(vocabularyOf(product));
  const machines = (subject.definitions ?? createControllers)(settings)
    .filter(({ name }) => controllers.includes(name))
    .map(({ name, machine }) => machinePartsOf(name, machine));
  return sum.survey(machines, faults);
}

/**
 * Returns the details of a report: the command that repeats the campaign, and the shortest failed run as a
 * story.
 */
async function detailsOf(
  report: CampaignReport,
  subject: LoadedSubject,
  argv: readonly string[],
): Promise<Omit<ChaosReport, 'seconds' | 'survey'>> {
  const smallest = smallestFailures(report.failures, (seed) => commandFor(argv, seed));
  const first = report.failures.find(({ seed }) => seed === smallest[0]?.seed);
  return {
    ...report,
    version: 1,
    command: commandFor(argv),
    platform: platform(),
    smallest,
    made: madeNow(),
    commands: causesOf(report).map(({ shortest: { seed } }) => [seed, commandFor(argv, seed)]),
    ...(first?.trace && { told: await narrateShrunk(first.seed, first.trace, subject) }),
  };
}

async function narrateShrunk(seed: number, trace: Trace, subject: LoadedSubject): Promise<ToldFailure> {
  const shrunk = await shrink(trace, subject, lasting(SHRINKING_MS));
  const { journal: _, ...story } = await narrate(shrunk.trace, subject, shrunk);
  return { seed, story };
}

/** Flags that affect only the output, and flags that select the seeds. They do not change a single run. */
const OUTPUT_FLAGS = ['report', 'traces', 'format', 'workers', 'weights'];
const SEEDS = ['seed', 'seeds', 'within'];

/** Returns the command that repeats the campaign, or one of its seeds. */
const commandFor = (argv: readonly string[], seed?: number): string =>
  seed === undefined
    ? commandOf('orch chaos run', argv, OUTPUT_FLAGS)
    : `${commandOf('orch chaos run', argv, [...OUTPUT_FLAGS, ...SEEDS])} --seed ${seed}`;

/** Reads the user actions in a JSON file. Throws a `CodedError` that names the file. */
export const readWorkloadFile = (path: string): Promise<readonly Action[]> =>
  readParsed(path, 'a JSON array of actions', (content) => readActions(readJson(content)));

async function readPlan(argv: readonly string[], flags: RunFlags, subject: LoadedSubject): Promise<Plan> {
  const workload = flags.workload === '' ? subject.workload : await readWorkloadFile(flags.workload);
  return {
    product: vocabularyOf(flags.vocabulary).product,
    selection: flags.controllers,
    controllers: subject.controllers,
    faults: readFaults(flags.faults, flags.queue === 'bullmq'),
    budget: flags.budget,
    comparedEvery: seedRange(argv, flags).count === 1 ? 1 : flags['compare-every'],
    lastsMs: flags.hours > 0 ? flags.hours * 3_600_000 : flags.lasts,
    ...(workload && { workload }),
    ...(flags.module !== '' && { everyKind: true }),
    ...(flags.queue === 'bullmq' && { sharedKeys: true }),
  };
}

function readFaults(names: readonly string[], sharesKeys: boolean): readonly FaultName[] {
  return names.flatMap((name) => {
    if (name === '*') return sharesKeys ? sharedKeyFaults : ordinaryFaults;
    const found = faultsNamed(name);
    if (found.length === 0)
      throw new UsageError(
        `unknown fault ${JSON.stringify(name)}: expected ${faultKinds.map((kind) => kind.name).join(', ')} or *`,
      );
    const possible = found.filter((each) => sharesKeys || !isRedisFault(each));
    if (possible.length === 0)
      throw new UsageError(`fault ${found.join(', ')} needs keys in Redis: expected --queue bullmq`);
    return possible;
  });
}

/** Returns one seed if only `--seed` is given, otherwise the number of seeds in `--seeds`. */
function seedRange(argv: readonly string[], { seed, seeds }: RunFlags): { first: number; count: number } {
  const named = (flag: string): boolean => argv.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return named('--seed') && !named('--seeds') ? { first: seed, count: 1 } : { first: seed, count: seeds };
}

async function runSeeds(
  argv: readonly string[],
  flags: RunFlags,
  plan: Plan,
  subject: LoadedSubject,
  module: string | undefined,
  onResult: (result: SeedResult) => void,
): Promise<CampaignReport> {
  const { first, count } = seedRange(argv, flags);
  const campaign = createCampaignSum(plan);
  const progress = createProgress(count);
  let written = Promise.resolve();
  const take = (whole: SeedResult): void => {
    onResult(whole);
    const { observed: _, features: __, ...result } = whole;
    campaign.add(result);
    // A trace is written immediately, so that a killed campaign leaves its traces. Write errors are reported
    // at the end.
    if (flags.traces !== '' && result.trace) {
      written = written.then(() => writeTrace(flags.traces, result));
      written.catch(() => {});
    }
    progress(campaign);
  };
  let following = first;
  const goesOn = lasting(flags.within);
  const next = (): number | undefined => (following < first + count && goesOn() ? following++ : undefined);
  const workers = Math.min(count, flags.workers === 0 ? availableParallelism() : flags.workers);
  const task = {
    plan,
    verify: flags['verify-determinism'],
    observe: flags.report !== '' || flags.weights !== '',
    ...(module !== undefined && { module }),
  };
  if (workers > 1) await runOnWorkers(workers, task, next, take);
  else
    for (let seed = next(); seed !== undefined; seed = next())
      take(await runSeed(seed, { ...task, subject }));
  await written;
  return campaign.report();
}

/**
 * Returns a function that prints progress: on a terminal as one line that is overwritten, otherwise as one
 * line per minute.
 */
function createProgress(count: number): (campaign: CampaignSum) => void {
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? PROGRESS_MS.terminal : PROGRESS_MS.log;
  const clock = createSystemClock();
  let nextMs = clock.monotonic() + everyMs;
  return ({ seeds, missed }) => {
    if (clock.monotonic() < nextMs && !(isTTY && seeds === count)) return;
    nextMs = clock.monotonic() + everyMs;
    const line = `${seeds} of ${count} seeds, ${missed} did not pass`;
    process.stderr.write(isTTY ? `\r${line}${seeds === count ? '\n' : ''}` : `${line}\n`);
  };
}

const writeTrace = (folder: string, { seed, trace }: SeedResult): Promise<void> =>
  writeWhole(join(folder, `seed-${seed}.json`), `${JSON.stringify(trace)}\n`);

/**
 * Runs `orch chaos replay TRACE`. Resolves with the exit code: 0 if the run passes, 1 if it violates an
 * invariant.
 */
export async function chaosReplay([path = '', ...argv]: readonly string[]): Promise<number> {
  if (path === '' || path.startsWith('--'))
    throw new UsageError('usage: orch chaos replay TRACE [--flag value ...]');
  const flags = parseFlags(chaosReplayFlags, argv);
  const trace = parseTrace(await readRequired(path));
  const { product, controllers } = trace.scenario;
  const module = flags.module === '' ? trace.module : resolve(flags.module);
  const subject = await loadSubject(product, controllers, module);
  const shrunk = flags.shrink ? await shrink(trace, subject, lasting(flags.within)) : undefined;
  const shown = shrunk?.trace ?? trace;
  const story = await narrate(shown, subject, shrunk);
  if (shrunk !== undefined) {
    const { dir, name, ext } = parse(path);
    const out = flags.out === '' ? join(dir, `${name}.min${ext}`) : flags.out;
    await writeFile(out, `${JSON.stringify({ ...shown, journal: story.journal })}\n`);
  }
  process.stdout.write(
    flags.format === 'json' ? `${JSON.stringify(story, null, 2)}\n` : describeStory(story),
  );
  return story.verdict === 'FAIL' ? 1 : 0;
}
