import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import type { Ask, ClientTls, Place } from '../load/job.ts';
import { pause } from './objects.ts';

const PROGRAM = new URL('../../cli/orch.js', import.meta.url).pathname;

const PORT = ['--secure-port', '0'];

/** Daemon in a child process, in which users run it. */
export interface Daemon extends AsyncDisposable {
  readonly place: Place;
  /** Time in milliseconds from the spawn to the ready line. */
  readonly startMs: number;
  /** Serving certificate and its key, in PEM. */
  readonly serving: { readonly cert: string; readonly key: string };
  /** Sends a request as the administrator and returns the body of the 2xx response. */
  call(ask: Ask): Promise<Buffer>;
  /** Waits until the process has been idle for a second, at most 30 s. */
  waitForIdle(): Promise<void>;
  /** Returns the resident memory in megabytes. */
  residentMemory(): Promise<number>;
}

/**
 * Starts a daemon with a data directory. An API server gets a free port; `controller-manager` connects to the
 * API server that runs with the same directory.
 * @param flags further arguments such as `--v`, `4`
 */
export async function startDaemon(
  command: 'up' | 'apiserver' | 'controller-manager',
  folder: string,
  flags: readonly string[] = [],
): Promise<Daemon> {
  const from = performance.now();
  const child = spawn(
    process.execPath,
    [PROGRAM, command, '--data-dir', folder, ...(command === 'controller-manager' ? [] : PORT), ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.length < 100 && errors.push(chunk.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /^ready https:\/\/\S+:(\d+)/m.exec(output) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${errors.join('')}`)));
  });
  const startMs = performance.now() - from;
  const read = (name: string): Promise<string> => readFile(join(folder, 'pki', name), 'utf8');
  const tls: ClientTls = {
    ca: await read('ca.crt'),
    cert: await read('admin.crt'),
    key: await read('admin.key'),
  };
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: 32 });
  return {
    place: { port, tls },
    startMs,
    serving: { cert: await read('apiserver.crt'), key: await read('apiserver.key') },
    call: (ask) => call(agent, port, ask),
    waitForIdle: () => waitForIdle(child.pid ?? 0),
    residentMemory: () => residentMemory(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function call(agent: Agent, port: number, { method, path, body = '' }: Ask): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: body === '' ? {} : { 'content-type': 'application/json' },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks);
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(answer);
          else reject(new Error(`${method} ${path}: ${status} ${answer.toString('utf8', 0, 500)}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Maximum number of 10 ms ticks in a second that counts as idle. */
const IDLE_TICKS = 5;

async function waitForIdle(pid: number): Promise<void> {
  let before = await usedTicks(pid);
  for (let second = 0; second < 30; second++) {
    await pause(1_000);
    const now = await usedTicks(pid);
    if (now - before <= IDLE_TICKS) return;
    before = now;
  }
}

/**
 * Returns the user and system time of a process in ticks. They are fields 14 and 15 of `/proc/PID/stat`, the
 * 12th and 13th after the name.
 */
async function usedTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the resident memory of a process in megabytes, as measured by the kernel. */
export async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
