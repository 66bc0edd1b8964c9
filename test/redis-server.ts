import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { freePort } from './free-port.ts';
import type { ServiceTls } from './service-tls.ts';

/** A Redis server for one test, on a free loopback port. Its directory is removed with it. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills the server with SIGKILL. Its data remain. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, and waits until it responds. */
  start(): Promise<void>;
  /** Sends one command and returns the beginning of its response. */
  command(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** True if each write is on disk before its response; default true. If false, a restart loses all data. */
  readonly durable?: boolean;
  readonly tls?: ServiceTls;
  /** Password that clients must send; default none. */
  readonly password?: string;
  /** Further options of the program. */
  readonly options?: readonly string[];
  /** Content of a configuration file that the program may rewrite, as sentinels do; default none. */
  readonly config?: string;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Prepares a server. It does not listen before `start`. */
export async function createRedisServer(
  program: string,
  { durable = true, tls, password, options = [], config }: RedisServerOptions = {},
): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'redis-'));
  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const listening =
    tls === undefined
      ? ['--port', String(port)]
      : [
          '--port',
          '0',
          '--tls-port',
          String(port),
          '--tls-ca-cert-file',
          file('ca.crt', tls.ca),
          '--tls-cert-file',
          file('tls.crt', tls.cert),
          '--tls-key-file',
          file('tls.key', tls.key),
        ];
  const log = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
  const argv = [
    ...(config === undefined ? [] : [file('redis.conf', config)]),
    ...listening,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    ...(config === undefined ? ['--save', '', ...log] : []),
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...options,
  ];
  const command = async (words: readonly string[]): Promise<string> => {
    const target = { port, host: '127.0.0.1', ...tls };
    const socket = tls === undefined ? createConnection(target) : connectTls(target);
    const ask = async (asked: readonly string[]): Promise<string> => {
      const sent = asked.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('');
      socket.write(`*${asked.length}\r\n${sent}`);
      return String(await once(socket, 'data'));
    };
    try {
      await once(socket, tls === undefined ? 'connect' : 'secureConnect');
      if (password !== undefined) await ask(['AUTH', password]);
      return await ask(words);
    } finally {
      socket.destroy();
    }
  };
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  };
  return {
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    port,
    kill,
    command: (...words) => command(words),
    async start() {
      child = spawn(program, argv, { stdio: 'ignore' });
      for (let i = 0; i < 200; i++) {
        if ((await command(['PING']).catch(() => '')).startsWith('+PONG')) return;
        await pause(25);
      }
      throw new Error(`redis-server did not answer on port ${port}`);
    },
    async close() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits until the response to a command contains a string. */
export async function answered(server: RedisServer, words: readonly string[], text: string): Promise<void> {
  for (let i = 0; i < 1_200; i++) {
    if ((await server.command(...words)).includes(text)) return;
    await pause(25);
  }
  throw new Error(`redis on port ${server.port} never answered ${words.join(' ')} with ${text}`);
}

export interface RedisGroup {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  close(): Promise<void>;
}

const closeAll = async (servers: readonly RedisServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.close()));
};

/**
 * Starts a server and a replica, which are the first and second of `servers`, and a sentinel with a password.
 * The sentinel declares the server dead after half a second.
 */
export async function startRedisSentinel(program: string, password: string): Promise<RedisGroup> {
  const primary = await createRedisServer(program);
  const replica = await createRedisServer(program, {
    options: ['--replicaof', `127.0.0.1 ${primary.port}`, '--repl-diskless-sync-delay', '0'],
  });
  await primary.start();
  await primary.command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
  await replica.start();
  const sentinel = await createRedisServer(program, {
    config: [
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 2000',
      '',
    ].join('\n'),
    password,
    options: ['--sentinel'],
  });
  await answered(replica, ['INFO', 'replication'], 'master_link_status:up');
  await sentinel.start();
  // The sentinel promotes only a replica that has responded to it.
  await answered(sentinel, ['SENTINEL', 'replicas', 'main'], 'master-link-status\r\n$2\r\nok');
  const servers = [primary, replica, sentinel];
  const url = `redis+sentinel://127.0.0.1:${sentinel.port}/main?sentinelPassword=${encodeURIComponent(password)}`;
  return { url, servers, close: () => closeAll(servers) };
}

const SLOTS = 16_384;

/** Starts a cluster of three servers with a third of the slots each. */
export async function startRedisCluster(program: string): Promise<RedisGroup> {
  const options = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];
  const servers = await Promise.all([1, 2, 3].map(() => createRedisServer(program, { options })));
  for (const [i, server] of servers.entries()) {
    await server.start();
    const [from, to] = [i, i + 1].map((third) => Math.floor((third * SLOTS) / servers.length));
    await server.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
  }
  for (const { port } of servers.slice(1))
    await servers[0]?.command('CLUSTER', 'MEET', '127.0.0.1', String(port));
  for (const server of servers) await answered(server, ['CLUSTER', 'INFO'], 'cluster_state:ok');
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis+cluster://${nodes}`, servers, close: () => closeAll(servers) };
}
