import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Scheme } from '../../api/kinds/index.ts';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { type Clock, createSystemClock } from '../../base/clock/index.ts';
import { silentLogger } from '../../base/log/index.ts';
import { createSeededRandom, createSystemRandom } from '../../base/random/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import {
  type CarriedWrites,
  type HeldStrikes,
  type JudgedRecording,
  type LiveFault,
  type LiveStrike,
  type LiveSystem,
  type Manager,
  connectionPlan,
  createCarriedWrites,
  holdStrikes,
  isProcessFault,
  liveFaults,
  runLive,
} from '../../chaos/live/index.ts';
import { createStrikes, parsePlan } from '../../chaos/plan/index.ts';
import {
  type ChaosReport,
  causesOf,
  describeLive,
  describeStory,
  smallestFailures,
} from '../../chaos/report/index.ts';
import { type LoadedSubject, loadSubject, summarize } from '../../chaos/run/index.ts';
import { generateRichWorkload } from '../../chaos/workload/index.ts';
import type { Action } from '../../chaos/world/index.ts';
import {
  type ClientConfig,
  createUndiciOutbound,
  createUndiciTransport,
  loadKubeconfig,
} from '../../runtime/client/index.ts';
import { type Client, createClient, journalLines } from '../../runtime/index.ts';
import { chaosLiveFlags } from './live-flags.ts';
import { readWorkloadFile } from './run.ts';
import { commandOf, exitCodes, madeNow, platform, writeReport } from './report.ts';
import { schemeOf } from '../program/scheme-of.ts';
import { readRequired } from '../files/files.ts';
import { type FlagValues, UsageError, parseFlags } from '../flags/flags.ts';
import {
  type LiveContext,
  type LiveManagerOptions,
  liveEtcd,
  liveManager,
  liveRedis,
  liveServer,
  QUOTAS_COUNTED_MS,
} from './live-programs.ts';

type Flags = FlagValues<typeof chaosLiveFlags>;

/**
 * Runs `orch chaos live`. Resolves with the exit code: 0 PASS, 1 FAIL, 2 UNKNOWN, 3 VACUOUS unless accepted.
 */
export async function chaosLive(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(chaosLiveFlags, argv);
  const faults = readFaults(flags.faults);
  const module = flags.module === '' ? undefined : resolve(flags.module);
  const subject = await loadSubject(flags.vocabulary, flags.controllers, module, QUOTAS_COUNTED_MS);
  if (subject.hasOwn)
    throw new UsageError(
      '--module may export only invariants and a workload here, because the programs run the built-in controllers',
    );
  const folder =
    flags['keep-data'] === '' ? await mkdtemp(join(tmpdir(), 'chaos-live-')) : resolve(flags['keep-data']);
  createFolder(folder, 0o700);
  // Requests are expected to fail in this command, so nothing is logged.
  const environment = { clock: createSystemClock(), random: createSystemRandom(), log: silentLogger };
  const startMs = environment.clock.monotonic();
  try {
    const vocabulary = vocabularyOf(flags.vocabulary);
    const judged = await live(flags, faults, subject, { ...environment, folder, vocabulary });
    const seconds = (environment.clock.monotonic() - startMs) / 1_000;
    if (flags['keep-data'] !== '') await keepJournals(folder, judged);
    return await writeResult(flags, argv, faults, judged, seconds);
  } finally {
    if (flags['keep-data'] === '') await rm(folder, { recursive: true, force: true });
  }
}

/** Writes one journal file for each process, which the dashboard can replay. */
async function keepJournals(folder: string, { journals }: JudgedRecording): Promise<void> {
  for (const [process, entries] of journals)
    await writeFile(
      join(folder, `${process}.ndjson`),
      [...journalLines({ charts: {}, entries }), ''].join('\n'),
    );
}

/** Functions that stop the started resources, the newest first. */
type Endings = (() => Promise<unknown>)[];

/** Starts the system, runs the workload with faults, and ends every program. */
async function live(
  flags: Flags,
  faults: readonly LiveFault[],
  subject: LoadedSubject,
  context: LiveContext,
): Promise<JudgedRecording> {
  const { clock } = context;
  const endings: Endings = [];
  const strikes: LiveStrike[] = [];
  const carried = createCarriedWrites(clock);
  const connections = connectionStrikes(flags.seed, faults, clock, strikes);
  const faultsMs = (flags.duration * 2) / 3;
  try {
    // The programs are started with names of controllers, because `*` selects other controllers in them.
    const named = { ...flags, controllers: subject.controllers };
    const system = await startSystem(named, context, { carried, strikes: connections }, endings);
    const scheme = schemeOf(flags.vocabulary);
    const administrator = await readConfig('admin.conf', context);
    const acting = clientOf(administrator, scheme, context, carried);
    const watching = clientOf(administrator, scheme, context);
    endings.unshift(
      () => acting.close(),
      () => watching.close(),
    );
    return await runLive({
      system,
      scheme,
      clock,
      random: createSeededRandom(flags.seed * 2),
      seed: flags.seed,
      subject,
      workload: await readWorkload(flags, subject, faultsMs, context),
      faults: faults.filter(isProcessFault).filter((name) => canStrike(name, system)),
      faultsMs,
      calmMs: flags.duration - faultsMs,
      watching,
      acting,
      carried,
      connections,
      strikes,
    });
  } finally {
    for (const end of endings) await end().catch(() => {});
  }
}

/** True if the system has the program that the fault affects. */
const canStrike = (fault: LiveFault, { redis, etcd }: LiveSystem): boolean =>
  (redis !== undefined || !fault.startsWith('redis-')) && (etcd !== undefined || !fault.startsWith('etcd-'));

/** Starts all programs except the controller managers. */
async function startSystem(
  flags: Flags,
  context: LiveContext,
  shared: Pick<LiveManagerOptions, 'carried' | 'strikes'>,
  endings: Endings,
): Promise<LiveSystem> {
  const outbound = createUndiciOutbound();
  endings.unshift(() => outbound.close());
  const etcd = await startEtcd(flags, context);
  if (etcd !== undefined) endings.unshift(() => etcd.etcd.kill());
  const server = await liveServer(context, etcd?.url);
  endings.unshift(() => server.kill());
  await server.start();
  const redis = await startRedis(flags, context);
  if (redis !== undefined) endings.unshift(() => redis.redis.kill());
  const redisUrl = redis?.url ?? flags['redis-url'];
  return {
    server,
    managers: await liveManagers(flags, context, { ...shared, outbound, redisUrl }, endings),
    ...(etcd && { etcd: etcd.etcd }),
    ...(redis && { redis: redis.redis, forgetRedis: redis.forget }),
  };
}

/** Creates the connection faults. Each injected fault is appended to `strikes`. */
const connectionStrikes = (
  seed: number,
  faults: readonly LiveFault[],
  clock: Clock,
  strikes: LiveStrike[],
): HeldStrikes =>
  holdStrikes(
    createStrikes({
      plan: parsePlan(connectionPlan(faults)),
      seed,
      clock,
      onStrike: ({ fault, verb, target, userAgent }) =>
        strikes.push({
          atMs: clock.now(),
          name: fault,
          where: `${userAgent.split('/')[2] ?? 'process'} ${verb} ${target}`,
        }),
    }),
  );

/** Creates the requested number of controller managers, whose proxies run. The managers are not started. */
async function liveManagers(
  { replicas, controllers }: Flags,
  context: LiveContext,
  shared: Pick<LiveManagerOptions, 'outbound' | 'carried' | 'strikes' | 'redisUrl'>,
  endings: Endings,
): Promise<readonly Manager[]> {
  const upstream = await readConfig('controller-manager.conf', context);
  const managers = await Promise.all(
    Array.from({ length: replicas }, (_, i) =>
      liveManager({
        ...context,
        ...shared,
        name: `controller-manager-${i + 1}`,
        selection: controllers,
        leases: replicas > 1,
        upstream,
      }),
    ),
  );
  for (const { program, proxy } of managers) {
    endings.unshift(
      () => program.kill(),
      () => proxy.stop(),
    );
    await proxy.start();
  }
  return managers;
}

/** Reads a kubeconfig that the API server wrote into its data directory. */
async function readConfig(name: string, { folder, vocabulary, clock }: LiveContext): Promise<ClientConfig> {
  const path = join(folder, name);
  const { env: environment } = process;
  return loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary,
    clock,
    environment,
  });
}

/**
 * Creates a client with its own connections.
 * @param carried records the writes of the client as writes of the user
 */
function clientOf(
  config: ClientConfig,
  scheme: Scheme,
  { clock, log }: LiveContext,
  carried?: CarriedWrites,
): Client {
  const transport = createUndiciTransport(config);
  return createClient({
    scheme,
    clock,
    log,
    transport: carried === undefined ? transport : carried.transport(transport, 'user', () => 'user'),
    userAgent: 'chaos-live',
  });
}

/** Starts the requested Redis. If Redis is not installed, prints a notice and returns undefined. */
async function startRedis({ redis }: Flags, context: LiveContext) {
  if (!redis) return undefined;
  const program = onPath('redis-server');
  if (program === undefined) {
    process.stderr.write('redis-server is not installed; using in-process queues\n');
    return undefined;
  }
  const started = await liveRedis(program, context);
  await started.redis.start();
  return started;
}

/** Starts the requested etcd. If etcd is not installed, prints a notice and returns undefined. */
async function startEtcd({ etcd }: Flags, context: LiveContext) {
  if (!etcd) return undefined;
  const program = onPath('etcd');
  if (program === undefined) {
    process.stderr.write('etcd is not installed; the API server uses its data folder\n');
    return undefined;
  }
  const started = await liveEtcd(program, context);
  await started.etcd.start();
  return started;
}

const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

async function readWorkload(
  flags: Flags,
  { workload, controllers }: LoadedSubject,
  faultsMs: number,
  { vocabulary, clock }: LiveContext,
): Promise<readonly Action[]> {
  if (flags.workload !== '') return readWorkloadFile(flags.workload);
  const making = {
    random: createSeededRandom(flags.seed * 2 + 1),
    vocabulary,
    startMs: clock.now(),
    untilMs: Math.round(faultsMs * 0.9),
    endsMs: flags.duration,
  };
  // A live run takes minutes and is not repeated, so the users perform every kind of action.
  return workload ?? generateRichWorkload(controllers, making);
}

function readFaults(names: readonly string[]): readonly LiveFault[] {
  return names.flatMap((name) => {
    if (name === '*') return liveFaults;
    const found = liveFaults.find((each) => each === name);
    if (found !== undefined) return [found];
    throw new UsageError(`unknown fault ${JSON.stringify(name)}: expected ${liveFaults.join(', ')} or *`);
  });
}

/** Flags that affect only the output and not the run. */
const OUTPUT_FLAGS = ['report', 'format', 'keep-data'];

async function writeResult(
  flags: Flags,
  argv: readonly string[],
  faults: readonly string[],
  { result, story }: JudgedRecording,
  seconds: number,
): Promise<number> {
  const campaign = summarize([result], { lastsMs: flags.duration, faults });
  const command = commandOf('orch chaos live', argv, OUTPUT_FLAGS);
  if (flags.report !== '') {
    const report: ChaosReport = {
      ...campaign,
      version: 1,
      seconds,
      command,
      platform: platform(),
      smallest: smallestFailures(campaign.failures, () => command),
      made: madeNow(),
      commands: causesOf(campaign).map(({ shortest: { seed } }) => [seed, command]),
      ...(result.failure && { told: { seed: flags.seed, story } }),
    };
    await writeReport(flags.report, report);
  }
  process.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify({ ...campaign, seconds }, null, 2)}\n`
      : `${describeLive(campaign, seconds)}${result.failure ? `\n${describeStory({ ...story, journal: [] })}` : ''}`,
  );
  return campaign.verdict === 'VACUOUS' && flags['accept-vacuous'] ? 0 : exitCodes[campaign.verdict];
}
