import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import type { ServiceTls } from './service-tls.ts';

/** A single-member etcd for one test, on a free loopback port. Its directory is removed with it. */
export interface EtcdServer {
  readonly url: string;
  /** Kills the server with SIGKILL. Its data remain. */
  kill(): Promise<void>;
  /** Suspends the process until `resume`. Connections stay open, and the server sends no response. */
  pause(): void;
  resume(): void;
  /** Starts or restarts the server on the same port and waits until it accepts connections. */
  start(): Promise<void>;
  /** Saves a copy of the data. The server must not be running. */
  keepCopy(): void;
  putBack(): void;
  /** Returns the bytes of all files in the server's directory. */
  files(): Buffer;
  close(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function canBeReached(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Prepares a server. It does not listen before `start`. */
export async function createEtcdServer(
  program: string,
  tls?: ServiceTls,
  flags: readonly string[] = [],
): Promise<EtcdServer> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const dir = mkdtempSync(join(tmpdir(), 'etcd-'));
  const [data, copy] = [join(dir, 'data'), join(dir, 'copy')];
  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const argv = [
    '--name=test',
    `--data-dir=${data}`,
    '--log-level=error',
    '--unsafe-no-fsync',
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=test=${peerUrl}`,
    ...flags,
  ];
  if (tls !== undefined)
    argv.push(
      '--client-cert-auth',
      `--trusted-ca-file=${file('ca.crt', tls.ca)}`,
      `--cert-file=${file('tls.crt', tls.cert)}`,
      `--key-file=${file('tls.key', tls.key)}`,
    );
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async start() {
      child = spawn(program, argv, { stdio: 'ignore' });
      for (let tries = 0; tries < 400; tries += 1) {
        if (await canBeReached(port)) return;
        await pause(25);
      }
      throw new Error(`etcd did not listen on port ${port}`);
    },
    keepCopy: () => cpSync(data, copy, { recursive: true }),
    putBack() {
      rmSync(data, { recursive: true });
      cpSync(copy, data, { recursive: true });
    },
    files: () =>
      Buffer.concat(
        readdirSync(data, { recursive: true, withFileTypes: true })
          .filter((each) => each.isFile())
          .map((each) => readFileSync(join(each.parentPath, each.name))),
      ),
    async close() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
