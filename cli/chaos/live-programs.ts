import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createListener } from '../../apiserver/http/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { type HttpHandler, type Outbound, readOutbound } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import {
  type CarriedWrites,
  type Connection,
  type Manager,
  OLDEST_MS,
  type Program,
  createProgram,
  stampArrivals,
} from '../../chaos/live/index.ts';
import type { Strikes } from '../../chaos/plan/index.ts';
import { createChaosProxy, createEarlierAnswers, createInterception } from '../../chaos/proxy/index.ts';
import type { ClientConfig } from '../../runtime/client/index.ts';
import { readJournalFile } from '../../runtime/index.ts';
import { configFor, selfMade } from './proxy-identity.ts';
import { writePrivate } from '../files/files.ts';
import { outboundPeer } from '../program/outbound-peer.ts';

/** Command line that starts this program again. */
const SELF = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] as const;
const HOST = '127.0.0.1';
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024;
const JOURNAL_MS = 2_000;

/** Lease times that are short, so that takeovers happen within a short run. */
const LEASES = {
  'leader-elect': 'true',
  'leader-elect-lease-duration': '4s',
  'leader-elect-renew-deadline': '3s',
  'leader-elect-retry-period': '1s',
};

/**
 * Flags for a short resync interval, so that a run does not end before problems are found that only a resync
 * finds. The system can be quiescent between the resyncs of two managers.
 */
const RESYNC_FLAGS = { 'resource-quota-sync-period': '12s' };
/** Time in milliseconds after which a quota has been recounted and the result is stored. */
export const QUOTAS_COUNTED_MS = 20_000;

/**
 * Returns a loopback port that is free at this moment. The port must be fixed, because programs restart on
 * the same port.
 */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export interface LiveContext extends Environment {
  readonly vocabulary: Vocabulary;
  /** Directory with the data and certificates. */
  readonly folder: string;
}

/**
 * Creates the API server program.
 * @param etcd address of the etcd that is its store; undefined for a store in its data directory
 */
export async function liveServer(
  { vocabulary, folder, clock }: LiveContext,
  etcd: string | undefined,
): Promise<Program> {
  const port = await freePort();
  const flags = {
    vocabulary: vocabulary.product,
    'data-dir': folder,
    'secure-port': String(port),
    ...(etcd !== undefined && { 'etcd-servers': etcd }),
  };
  const server = createProgram({
    name: 'apiserver',
    command: () => [...SELF, 'apiserver', ...asArguments(flags)],
    ready: /^ready (https:\S+)/m,
    clock,
    environment: process.env,
  });
  // The clock starts in the past, so that certificates of later steps are already valid while old objects are
  // created.
  await server.setClock(-OLDEST_MS);
  return server;
}

const asArguments = (flags: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(flags).flatMap(([name, value]) => (value === 'true' ? [`--${name}`] : [`--${name}`, value]));

/** Creates an etcd with one member. */
export async function liveEtcd(
  program: string,
  { folder, clock }: LiveContext,
): Promise<{ readonly etcd: Program; readonly url: string }> {
  const url = `http://${HOST}:${await freePort()}`;
  const peerUrl = `http://${HOST}:${await freePort()}`;
  const flags = {
    name: 'chaos',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `chaos=${peerUrl}`,
  };
  const etcd = createProgram({
    name: 'etcd',
    command: () => [program, ...asArguments(flags)],
    ready: /serving (insecure )?client (requests|traffic)/,
    clock,
    environment: process.env,
  });
  return { etcd, url };
}

/** Creates a Redis that persists every write before it responds. `forget` deletes its persisted data. */
export async function liveRedis(
  program: string,
  { folder, clock }: LiveContext,
): Promise<{ readonly redis: Program; readonly url: string; readonly forget: () => Promise<void> }> {
  const port = await freePort();
  const flags = { port: String(port), bind: HOST, dir: folder, appendonly: 'yes', appendfsync: 'always' };
  const redis = createProgram({
    name: 'redis',
    command: () => [program, ...asArguments(flags), '--save', ''],
    ready: /Ready to accept connections/,
    clock,
    environment: process.env,
  });
  const forget = (): Promise<void> => rm(join(folder, 'appendonlydir'), { recursive: true, force: true });
  return { redis, url: `redis://${HOST}:${port}`, forget };
}

export interface LiveManagerOptions extends LiveContext {
  readonly name: string;
  /** Controllers to run, in the format of `--controllers`. */
  readonly selection: readonly string[];
  readonly leases: boolean;
  /** URL of Redis; '' for in-process queues. */
  readonly redisUrl: string;
  /** Address of the API server, and credentials of controller managers. */
  readonly upstream: ClientConfig;
  readonly outbound: Outbound;
  readonly carried: CarriedWrites;
  readonly strikes: Strikes;
}

/**
 * Creates a controller manager behind a dedicated proxy. The proxy runs in this process once the manager is
 * started.
 */
export async function liveManager(
  options: LiveManagerOptions,
): Promise<Manager & { readonly proxy: Lifetime }> {
  const { name, clock, folder, vocabulary, selection, leases, redisUrl, outbound } = options;
  const health = await freePort();
  const config = join(folder, `${name}.conf`);
  const flags = {
    vocabulary: vocabulary.product,
    'data-dir': folder,
    kubeconfig: config,
    controllers: selection.join(','),
    'healthz-port': String(health),
    'healthz-dashboard': 'true',
    ...RESYNC_FLAGS,
    ...(leases && LEASES),
    ...(redisUrl !== '' && { 'redis-url': redisUrl }),
  };
  const program = createProgram({
    name,
    command: () => [...SELF, 'controller-manager', ...asArguments(flags)],
    ready: /^ready \S+ — \d+ controllers run/m,
    clock,
    environment: process.env,
  });
  return {
    program,
    ...proxied(options, config),
    async journalSince(seq) {
      const response = await outbound.send(
        { origin: `http://${HOST}:${health}` },
        {
          method: 'GET',
          path: `/journal/v1/export?since=${seq}`,
          headers: {},
          headersTimeoutMs: JOURNAL_MS,
        },
      );
      return readJournalFile(String(await readOutbound(response, JOURNAL_LIMIT_BYTES))).entries;
    },
  };
}

/** Creates the proxy between a controller manager and the API server. The proxy can cut the connection. */
function proxied(
  options: LiveManagerOptions,
  config: string,
): { readonly connection: Connection; readonly proxy: Lifetime } {
  const { name, upstream, strikes, clock, random, log } = options;
  const { origin, pathname } = new URL(upstream.server);
  const token = Buffer.from(random.bytes(32)).toString('base64url');
  const { tls, caPem } = selfMade(HOST, options);
  const handler = createChaosProxy({
    target: outboundPeer(origin, upstream.tls),
    basePath: pathname.replace(/\/+$/, ''),
    lent: { token, credentials: () => upstream.credentials.get() },
    outbound: options.carried.outbound(options.outbound, name, (agent, info) => actorOf(agent, info, name)),
    interception: createInterception({ strikes, older: createEarlierAnswers(clock), clock, log }),
    log,
  });
  const { connection, gate } = createGate(stampArrivals(handler, clock));
  const listener = createListener({ handler: gate, host: HOST, port: 0, tls, clock, log });
  return {
    connection,
    proxy: {
      name: `proxy of ${name}`,
      async start() {
        await listener.start();
        const { host, port } = listener.address();
        await writePrivate(config, configFor(`https://${host}:${port}`, caPem, token));
      },
      stop: () => listener.stop(),
    },
  };
}

/**
 * Returns the actor of a request. The actor is the controller named in the user agent's last part. Leases and
 * Events are attributed to the process.
 */
function actorOf(agent: string, { resource }: RequestInfo, process: string): string {
  const [, , controller] = agent.split('/');
  if (resource === 'events') return 'events';
  return controller ?? process;
}

function createGate(handler: HttpHandler): { readonly connection: Connection; readonly gate: HttpHandler } {
  const open = new Set<() => void>();
  let isCut = false;
  return {
    connection: {
      cut() {
        isCut = true;
        for (const drop of open) drop();
      },
      mend() {
        isCut = false;
      },
    },
    gate(request) {
      const drop = (): void => request.drop?.();
      if (isCut) {
        drop();
        return { status: 503, headers: {}, body: new Uint8Array() };
      }
      open.add(drop);
      request.onClose?.(() => open.delete(drop));
      return handler(request);
    },
  };
}
