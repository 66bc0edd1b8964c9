import { createListener } from '../../apiserver/http/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { WireHistory } from '../../chaos/judge/index.ts';
import { type FaultPlan, type StrikeRecord, type Strikes, createStrikes } from '../../chaos/plan/index.ts';
import {
  type HistoryStorage,
  type Observer,
  type StartedClient,
  type WireRecorder,
  createChaosProxy,
  createInterception,
  createObserver,
  createStartedClient,
  createStoreHistory,
  createWireRecorder,
} from '../../chaos/proxy/index.ts';
import {
  type ClientConfig,
  createUndiciOutbound,
  createUndiciTransport,
} from '../../runtime/client/index.ts';
import { listeningUrl } from '../program/listening-url.ts';
import { outboundPeer } from '../program/outbound-peer.ts';
import { writePrivate } from '../files/files.ts';
import { createUpstreamApi } from './judged-api.ts';
import { type ExampleWorkload, applySetup, applyStep, keysOf, removeAll } from './judged-workload.ts';
import { configFor, selfMade } from './proxy-identity.ts';

/** Inputs of one run of the command. */
export interface JudgedRunOptions extends Environment {
  /** Plan whose faults are injected; undefined for a run without faults. */
  readonly plan: FaultPlan | undefined;
  readonly seed: number;
  readonly command: readonly [program: string, ...argv: readonly string[]];
  /** Environment variables of the command in addition to `KUBECONFIG`. */
  readonly commandEnvironment: Readonly<Record<string, string | undefined>>;
  readonly workload: ExampleWorkload | undefined;
  readonly upstream: ClientConfig;
  /** Path of the file for the client configuration of the command. */
  readonly configPath: string;
  readonly settleMs: number;
  /** Duration of a run without a workload in milliseconds. */
  readonly durationMs: number;
  /** True to delete the objects of the workload at the end of the run. */
  readonly cleansUp: boolean;
  readonly onOutput: (chunk: Uint8Array) => void;
}

/** Result of one run. */
export interface JudgedRun {
  readonly history: WireHistory;
  /** Faults that were injected. */
  readonly strikes: readonly StrikeRecord[];
  /** Reason why the run proves nothing; undefined if the run is complete. */
  readonly unknown: string | undefined;
}

const HOST = '127.0.0.1';
const FIRST_REQUEST_MS = 30_000;
/** Maximum wait for the system to converge during the workload and at its end, in milliseconds. */
const STEP_MS = 15_000;
const END_MS = 60_000;
const POLL_MS = 50;
/** Number of exits of the command from which the command counts as broken. */
const MOST_EXITS = 20;

/** Parts of a run that is in progress. */
interface Running {
  readonly recorder: WireRecorder;
  readonly observer: Observer;
  readonly client: StartedClient;
  readonly faults: HeldFaults;
  readonly clock: Clock;
}

/**
 * Runs the command once. Starts the command behind a proxy, executes the workload, and waits until the system
 * has converged.
 */
export async function runJudged(options: JudgedRunOptions): Promise<JudgedRun> {
  const { clock, upstream, workload } = options;
  const recorder = createWireRecorder(clock);
  const transport = createUndiciTransport({
    server: upstream.server,
    tls: upstream.tls,
    credentials: upstream.credentials,
  });
  const observer = createObserver(transport, () => recorder.moment(), clock);
  const faults = new HeldFaults(options);
  const client = createClientUnderTest(options, recorder);
  const older = createStoreHistory(observedStorage(observer), clock);
  await older.start();
  const proxy = await startProxy(options, recorder, observer, faults, client, older);
  const running = { recorder, observer, client, faults, clock };
  const api = createUpstreamApi(transport, clock);
  let unknown: string | undefined;
  const killAtExit = (): void => void client.stop();
  process.once('exit', killAtExit);
  try {
    if (workload !== undefined) await applySetup(api, workload, clock);
    faults.begin();
    client.start();
    unknown = (await hasRequested(running)) ? undefined : 'the command sent no request';
    if (workload === undefined) await sleep(clock, options.durationMs);
    else if (unknown === undefined)
      for (const step of workload.steps) {
        await quiet(running, options.settleMs, STEP_MS);
        recorder.add({
          ...recorder.moment(),
          type: 'user',
          text: step.text,
          keys: await keysOf(api, step, clock),
        });
        await applyStep(api, step, clock);
      }
    await quiet(running, options.settleMs, STEP_MS);
    unknown ??= await ended(running, options);
  } finally {
    await client.stop();
    process.off('exit', killAtExit);
    if (workload !== undefined && options.cleansUp) await removeAll(api, workload, clock);
    observer.stop();
    await older.stop();
    await proxy.stop();
    await transport.close();
  }
  return {
    history: { entries: recorder.entries, versions: observer.versions },
    strikes: faults.strikes,
    unknown,
  };
}

/**
 * Ends the faults and waits until the client has handled all changes. Returns the reason if it does not;
 * otherwise undefined.
 */
async function ended(running: Running, { settleMs }: JudgedRunOptions): Promise<string | undefined> {
  const { faults, client } = running;
  faults.end();
  client.recover();
  const isQuiet = await quiet(running, settleMs * 2, END_MS);
  if (client.exits > MOST_EXITS) return `the command ended by itself ${client.exits} times`;
  return isQuiet ? undefined : `objects still change ${END_MS / 1_000} s after the last fault`;
}

async function hasRequested({ recorder, clock }: Running): Promise<boolean> {
  const untilMs = clock.monotonic() + FIRST_REQUEST_MS;
  while (!recorder.entries.some(({ type }) => type === 'request')) {
    if (clock.monotonic() > untilMs) return false;
    await sleep(clock, POLL_MS);
  }
  return true;
}

/**
 * Waits until nothing has changed for `ms` milliseconds and the injected faults have passed. Returns false if
 * `limitMs` milliseconds pass before. Without the second condition, the same plan would affect a different
 * step in each run.
 */
async function quiet(
  { recorder, observer, faults, clock }: Running,
  ms: number,
  limitMs: number,
): Promise<boolean> {
  const untilMs = clock.monotonic() + limitMs;
  const fromMs = recorder.moment().atMs;
  for (;;) {
    await sleep(clock, POLL_MS);
    const isQuiet = recorder.moment().atMs - Math.max(fromMs, observer.lastChangeMs) >= ms;
    if (isQuiet && clock.monotonic() - faults.lastUntilMs >= ms) return true;
    if (clock.monotonic() > untilMs) return false;
  }
}

function createClientUnderTest(options: JudgedRunOptions, recorder: WireRecorder): StartedClient {
  const { command, commandEnvironment, configPath, clock, onOutput } = options;
  return createStartedClient({
    command,
    environment: { ...commandEnvironment, KUBECONFIG: configPath },
    clock,
    onOutput,
    onChange: (change, detail) => {
      if (change === 'started') recorder.run++;
      recorder.add({ ...recorder.moment(), type: 'process', run: recorder.run, change, detail });
    },
  });
}

/** Starts the proxy and writes the configuration for the command. */
async function startProxy(
  options: JudgedRunOptions,
  recorder: WireRecorder,
  observer: Observer,
  faults: HeldFaults,
  client: StartedClient,
  older: ReturnType<typeof createStoreHistory>,
): Promise<{ stop(): Promise<void> }> {
  const { clock, log, random, upstream, configPath } = options;
  const { origin, pathname } = new URL(upstream.server);
  const token = Buffer.from(random.bytes(32)).toString('base64url');
  const { tls, caPem } = selfMade(HOST, options);
  const outbound = createUndiciOutbound();
  const strikes = recorder.strikes(faults);
  const interception = createInterception({ strikes, process: client, older, clock, log });
  const handler = createChaosProxy({
    target: outboundPeer(origin, upstream.tls),
    basePath: pathname.replace(/\/+$/, ''),
    lent: { token, credentials: () => upstream.credentials.get() },
    outbound,
    interception: recorder.interception(interception, (info) => observer.follow(info)),
    log,
  });
  const listener = createListener({ handler, host: HOST, port: 0, tls, clock, log, graceMs: 100 });
  await listener.start();
  await writePrivate(configPath, configFor(listeningUrl(listener.address()), caPem, token));
  return {
    async stop() {
      await listener.stop();
      await outbound.close();
    },
  };
}

/** Faults of a plan that are injected only between `begin` and `end`. */
class HeldFaults implements Strikes {
  readonly strikes: StrikeRecord[] = [];
  readonly #options: JudgedRunOptions;
  #inner: Strikes | undefined;
  /** Monotonic time in milliseconds at which the last injected fault has passed. */
  lastUntilMs = 0;

  constructor(options: JudgedRunOptions) {
    this.#options = options;
  }

  begin(): void {
    const { plan, seed, clock } = this.#options;
    if (plan === undefined) return;
    const onStrike = (strike: StrikeRecord): void => {
      this.strikes.push(strike);
      this.lastUntilMs = Math.max(this.lastUntilMs, clock.monotonic() + (strike.lastsMs ?? 0));
    };
    this.#inner = createStrikes({ plan, seed, clock, onStrike });
  }

  end(): void {
    this.#inner = undefined;
  }

  onRequest(...args: Parameters<Strikes['onRequest']>): ReturnType<Strikes['onRequest']> {
    return this.#inner?.onRequest(...args);
  }

  onEvent(...args: Parameters<Strikes['onEvent']>): ReturnType<Strikes['onEvent']> {
    return this.#inner?.onEvent(...args);
  }

  concernsEvents(watch: Parameters<Strikes['concernsEvents']>[0]): boolean {
    return this.#inner?.concernsEvents(watch) ?? false;
  }

  concernsStale(): boolean {
    // Stale reads use the API server's history, so no response must be stored.
    return false;
  }
}

/** Returns a store with the revisions that an observer has seen, for stale reads. */
function observedStorage(observer: Observer): HistoryStorage {
  let newest = 0;
  return {
    compacted: () => 0,
    revision: async () => newest,
    async watch(_prefix, _after, { onChange }) {
      observer.onRevision = (revision) => {
        if (revision <= newest) return;
        newest = revision;
        onChange({ revision });
      };
      return { cancel: () => (observer.onRevision = () => {}) };
    },
  };
}
