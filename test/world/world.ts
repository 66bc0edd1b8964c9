import { features } from '../../api/features/features.ts';
import { createFeatureGates } from '../../base/feature-gates/feature-gates.ts';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { builtinKinds } from '../../api/groups/index.ts';
import { type Scheme, createScheme } from '../../api/kinds/scheme.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import type { Storage, Stored } from '../../apiserver/storage/storage.ts';
import { createSimulatedClock, type SimulatedClock } from '../../base/clock/simulated.ts';
import type { Environment } from '../../base/environment.ts';
import type { HttpPeer } from '../../base/http/message.ts';
import { type LogFields, type Logger, silentLogger } from '../../base/log/logger.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../base/pki/certificates.ts';
import { type KeyPair, generateKeyPair } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type AssemblyOptions, assembleApiServer } from '../../apiserver/assembly/api-server.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import { type ControllerSettings, createControllers } from '../../controllers/index.ts';
import {
  type Client,
  type ControllerDefinition,
  type ControllerManager,
  type Journal,
  createClient,
  createControllerManager,
  createEventRecorder,
  createInMemoryTransport,
  createInformers,
  createJournal,
  createMemoryQueues,
} from '../../runtime/index.ts';
import { mutated } from './mutated.ts';
import { type FaultyTransport, type Faults, createFaultyTransport } from './faults.ts';

const YEAR_MS = 365 * 86_400_000;
const DEFAULT_START_MS = Date.UTC(2026, 0, 1);
/**
 * Minimum watch duration in seconds. Longer than in production, because restarts of watches would take most
 * of the run time of virtual days.
 */
const WATCH_SECONDS = 1_800;

export interface WorldOptions {
  /** Vocabulary of the world; default `orch`. */
  readonly vocabulary?: Vocabulary;
  /** Names of the controllers to run, in the format of `--controllers`; `[]` for none. Default `['*']`. */
  readonly controllers?: readonly string[];
  /** Controller definitions to run; default those of `createControllers`. */
  readonly definitions?: (settings: ControllerSettings) => readonly ControllerDefinition[];
  /** Seed of random values; default 1. */
  readonly seed?: number;
  /** Initial wall time; default 2026-01-01T00:00:00Z. */
  readonly startMs?: number;
  /** Expiry of the CA that signs CertificateSigningRequests; default ten years after the start. */
  readonly signingCaEndsMs?: number;
  /** Key of the signing CA; default a P-256 key. */
  readonly signingCaKey?: KeyPair;
  /** Maximum lifetime of signed certificates; default one year. */
  readonly signingDurationMs?: number;
  /** Minimum duration of a manager's watch in seconds. The maximum is twice that. Default 1,800. */
  readonly watchSeconds?: number;
  /** Capacity of the journals in entries; default a million. */
  readonly journalEntries?: number;
  /** Overrides for the assembly of the API server. */
  readonly assembly?: Partial<AssemblyOptions>;
}

/** One controller manager of a world. */
export interface WorldManager {
  readonly manager: ControllerManager;
  readonly journal: Journal;
  /** Faults between the manager and the API server. */
  readonly faults: Faults;
  /** Shuts the manager down gracefully. */
  stop(): Promise<void>;
  /** Stops the manager as a power failure does. No work finishes, and no request that it sends arrives. */
  kill(): void;
}

export interface ManagerOptions {
  readonly controllers?: readonly string[];
  /** False to return before the controllers take keys; default true. */
  readonly ready?: boolean;
}

/** The whole system in one thread on virtual time: API server, clients, informers, queues, controllers. */
export interface World {
  readonly clock: SimulatedClock;
  readonly scheme: Scheme;
  readonly vocabulary: Vocabulary;
  readonly server: ApiServer;
  readonly storage: Storage;
  readonly settings: ControllerSettings & { readonly serviceAccountKey: KeyObject };
  /** CA that signs CertificateSigningRequests. Client certificates that it signs are accepted. */
  readonly signingCa: CertificateAuthority;
  /** The first manager of the world. */
  readonly manager: WorldManager;
  readonly journal: Journal;
  /** Client with the permissions of an administrator. */
  readonly client: Client;
  /** Returns a client with a client certificate for the user and the groups. */
  as(user: string, ...groups: readonly string[]): Client;
  /** Returns a connection with a client certificate for the user and the groups. */
  peerOf(user: string, ...groups: readonly string[]): HttpPeer;
  /** Returns a client that authenticates with a certificate. */
  withCertificate(pem: string): Client;
  /** Returns a client that authenticates with a bearer token. */
  withToken(token: string): Client;
  startManager(options?: ManagerOptions): Promise<WorldManager>;
  /**
   * Advances virtual time until `check` neither throws nor returns false. Rejects with the last error of
   * `check` after `withinMs` milliseconds (default one minute).
   */
  eventually<T>(check: () => T | Promise<T>, withinMs?: number): Promise<T>;
  /** Warnings and errors logged by any part of the world. */
  readonly complaints: readonly string[];
  stop(): Promise<void>;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { vocabulary = orchVocabulary, seed = 1, startMs = DEFAULT_START_MS } = options;
  const complaints: string[] = [];
  const inFlight = { count: 0 };
  const clock = createSimulatedClock(startMs, () => settle(inFlight));
  const environment: Environment = {
    clock,
    random: createSeededRandom(seed),
    log: complainer(complaints),
  };
  const beginning = await beginningOf(vocabulary, startMs);
  const { scheme, ca } = beginning;
  const signingCa = signingCaOf(options, beginning, environment);
  const settings = {
    signers: new Map(
      Object.values(vocabulary.signers).map((name) => [
        name,
        { authority: signingCa, durationMs: options.signingDurationMs ?? YEAR_MS },
      ]),
    ),
    serviceAccountKey: keys().serviceAccounts.privateKey,
    rootCa: ca.certificatePem,
  };
  const storage = createMemoryStorage({
    stamp: stampResourceVersion,
    // A custom assembly creates its own initial objects.
    ...(options.assembly === undefined && { initial: beginning.stored }),
  });
  const server = assembleServer(beginning, { environment, storage, signingCa, ...options.assembly });
  await server.start();

  const clients: Client[] = [];
  const transportOf = (peer: HttpPeer, token?: string): FaultyTransport =>
    createFaultyTransport(
      createInMemoryTransport({
        handler: server.handler,
        clock,
        peer,
        ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
      }),
      inFlight,
    );
  const clientOn = (transport: FaultyTransport, userAgent: string): Client => {
    const client = createClient({ scheme, transport, clock, log: environment.log, userAgent });
    clients.push(client);
    return client;
  };
  const address = '127.0.0.1';
  const peerOf = (user: string, groups: readonly string[]): HttpPeer => ({
    address,
    certificate: beginning.clientCertificate(user, groups),
  });
  const as = (user: string, ...groups: readonly string[]): Client =>
    clientOn(transportOf(peerOf(user, groups)), user);

  const managers: WorldManager[] = [];
  const startManager = async ({
    controllers = ['*'],
    ready = true,
  }: ManagerOptions = {}): Promise<WorldManager> => {
    const transport = transportOf(peerOf(vocabulary.component('controller-manager'), []));
    const component = `${vocabulary.short}-controller-manager`;
    const client = clientOn(transport, component);
    const { watchSeconds = WATCH_SECONDS } = options;
    // A watch that ends by itself is cheaper than one that times out.
    const reflector = { quietServerMs: 3 * watchSeconds * 1_000 };
    const informers = createInformers({ ...environment, client, watchSeconds, reflector });
    const events = createEventRecorder({ ...environment, client, scheme, component });
    const journal = createJournal({
      clock,
      maxEntries: options.journalEntries ?? 1_000_000,
      maxBytes: 1 << 30,
    });
    const manager = createControllerManager({
      controllers: await mutated((options.definitions ?? createControllers)(settings)),
      selection: controllers,
      client,
      scheme,
      informers,
      queues: createMemoryQueues(environment),
      events,
      environment,
      journal,
      before: [informers, events],
    });
    const started = manager.start();
    started.catch(() => {});
    const world: WorldManager = {
      manager,
      journal,
      faults: transport.faults,
      async stop() {
        await whileTimePasses(clock, manager.stop());
      },
      kill() {
        transport.cut();
        void manager.stop().catch(() => {});
      },
    };
    managers.push(world);
    if (ready) await whileTimePasses(clock, started);
    return world;
  };
  const first = await startManager({ controllers: options.controllers ?? ['*'] });

  return {
    clock,
    scheme,
    vocabulary,
    server,
    storage,
    settings,
    signingCa,
    manager: first,
    journal: first.journal,
    client: as('admin', 'system:masters'),
    as,
    peerOf: (user, ...groups) => peerOf(user, groups),
    withCertificate: (pem) =>
      clientOn(transportOf({ address, certificate: new X509Certificate(pem) }), 'certificate'),
    withToken: (token) => clientOn(transportOf({ address }, token), 'token'),
    startManager,
    eventually: (check, withinMs = 60_000) => eventually(clock, check, withinMs),
    complaints,
    async stop() {
      for (const each of managers) await each.stop();
      for (const client of clients) await client.close();
      await whileTimePasses(clock, server.stop());
      await storage.close();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Keeps virtual time still during a request, because some of the server's cryptography runs in real time. */
async function settle(inFlight: { readonly count: number }): Promise<void> {
  await turn();
  await turn();
  while (inFlight.count > 0) await turn();
}

async function whileTimePasses<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const settled = promise.finally(() => {
    done = true;
  });
  settled.catch(() => {});
  for (let i = 0; !done && i < 10_000; i++) await clock.advance(i < 20 ? 0 : 10);
  return settled;
}

/**
 * Minimum poll interval of `eventually` in milliseconds. The interval is otherwise a twentieth of the time
 * waited so far.
 */
const STEP_MS = 50;

async function eventually<T>(
  clock: SimulatedClock,
  check: () => T | Promise<T>,
  withinMs: number,
): Promise<T> {
  const startMs = clock.monotonic();
  const untilMs = startMs + withinMs;
  for (;;) {
    await clock.advance(0);
    let problem: unknown;
    try {
      const result = await check();
      if (result !== false) return result;
      problem = new Error(`not so within ${withinMs} ms of virtual time`);
    } catch (thrown) {
      problem = thrown;
    }
    const nowMs = clock.monotonic();
    if (nowMs >= untilMs) throw problem;
    await clock.advance(Math.min(Math.max(STEP_MS, (nowMs - startMs) / 20), untilMs - nowMs));
  }
}

function complainer(lines: string[]): Logger {
  const note = (fields: LogFields, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields, (_, value: unknown) => plain(value))}`);
  };
  const drop = (): void => {};
  const logger: Logger = {
    error: note,
    warn: note,
    info: drop,
    debug: drop,
    trace: drop,
    child: () => logger,
    debugEnabled: false,
  };
  return logger;
}

const plain = (value: unknown): unknown => (value instanceof Error ? value.message : value);

interface Keys {
  readonly ca: KeyPair;
  readonly signingCa: KeyPair;
  readonly serviceAccounts: KeyPair;
  readonly clients: KeyPair;
}
let made: Keys | undefined;

/** Keys of all worlds. Generated once per process, because no test depends on their values. */
function keys(): Keys {
  made ??= {
    ca: generateKeyPair('ec-p256'),
    signingCa: generateKeyPair('ec-p256'),
    serviceAccounts: generateKeyPair('ec-p256'),
    clients: generateKeyPair('ec-p256'),
  };
  return made;
}

/** Initial state that the worlds of one vocabulary and start time share. Created once per process. */
interface Beginning {
  readonly scheme: Scheme;
  readonly startMs: number;
  readonly ca: CertificateAuthority;
  readonly signingCa: CertificateAuthority;
  clientCertificate(user: string, groups: readonly string[]): X509Certificate;
  readonly stored: { readonly revision: number; readonly items: readonly Stored[] };
}
const beginnings = new Map<string, Promise<Beginning>>();

function beginningOf(vocabulary: Vocabulary, startMs: number): Promise<Beginning> {
  const key = `${vocabulary.product} ${startMs}`;
  const made = beginnings.get(key) ?? begin(vocabulary, startMs);
  beginnings.set(key, made);
  return made;
}

async function begin(vocabulary: Vocabulary, startMs: number): Promise<Beginning> {
  const clock = createSimulatedClock(startMs, () => settle({ count: 0 }));
  const environment: Environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const authority = (commonName: string, pair: KeyPair): CertificateAuthority =>
    createAuthority(commonName, pair, startMs, validityOf(startMs).notAfterMs, environment);
  const beginning = {
    scheme: createScheme(vocabulary, builtinKinds),
    startMs,
    ca: authority('world-ca', keys().ca),
    signingCa: authority(SIGNING_CA, keys().signingCa),
  };
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const server = assembleServer(beginning, { environment, storage, signingCa: beginning.signingCa });
  await server.start();
  // Lets the server write its own objects after startup.
  await clock.advance(0);
  const stored = await storage.list('/registry/');
  await server.stop();
  await storage.close();
  return { ...beginning, clientCertificate: clientCertificatesOf(beginning, environment), stored };
}

const SIGNING_CA = 'world-signing-ca';

const validityOf = (startMs: number) => ({
  notBeforeMs: startMs - YEAR_MS,
  notAfterMs: startMs + 10 * YEAR_MS,
});

const createAuthority = (
  commonName: string,
  pair: KeyPair,
  startMs: number,
  notAfterMs: number,
  { random }: Environment,
): CertificateAuthority =>
  createCertificateAuthority(
    { commonName, organizations: [] },
    pair,
    { ...validityOf(startMs), notAfterMs },
    random,
  );

function signingCaOf(
  { signingCaEndsMs, signingCaKey }: WorldOptions,
  { startMs, signingCa }: Beginning,
  environment: Environment,
): CertificateAuthority {
  if (signingCaEndsMs === undefined && signingCaKey === undefined) return signingCa;
  const { notAfterMs } = validityOf(startMs);
  const pair = signingCaKey ?? keys().signingCa;
  return createAuthority(SIGNING_CA, pair, startMs, signingCaEndsMs ?? notAfterMs, environment);
}

/** Returns a function that creates the certificate of a user and caches it. */
function clientCertificatesOf(
  { ca, startMs }: Pick<Beginning, 'ca' | 'startMs'>,
  { random }: Environment,
): Beginning['clientCertificate'] {
  const made = new Map<string, X509Certificate>();
  return (commonName, organizations) => {
    const key = JSON.stringify([commonName, organizations]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const subject = { commonName, organizations: [...organizations] };
    const { publicKey } = keys().clients;
    const usages = ['digital signature', 'client auth'];
    const pem = issueCertificate({ subject, publicKey, usages, ...validityOf(startMs) }, ca, random);
    const certificate = new X509Certificate(pem);
    made.set(key, certificate);
    return certificate;
  };
}

/** Assembles the API server of a world without starting it. */
function assembleServer(
  { scheme, ca }: Pick<Beginning, 'scheme' | 'ca'>,
  {
    signingCa,
    ...options
  }: Pick<AssemblyOptions, 'environment' | 'storage'> & { readonly signingCa: CertificateAuthority },
): ApiServer {
  const clientCa = ca.certificatePem + signingCa.certificatePem;
  return assembleApiServer({
    controllerPermissions,
    scheme,
    clientCa: () => clientCa,
    serverCa: ca.certificatePem,
    serverUrl: () => 'https://127.0.0.1:6443',
    serviceAccountKey: keys().serviceAccounts.privateKey,
    // Features of the API server: the tests enable all of them.
    features: createFeatureGates(features, ['AllAlpha=true']),
    ...options,
  });
}
