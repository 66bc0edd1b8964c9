import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface ReplicaOptions {
  readonly redisUrl: string;
  /** Number of concurrent keys. */
  readonly concurrency: number;
  /** Duration of a reconcile in milliseconds. */
  readonly reconcileMs: number | 'forever';
  /** Path of the log file for the start and end of each reconcile; default standard output. */
  readonly log?: string;
}

const SOURCE = fileURLToPath(new URL('queue-replica.ts', import.meta.url));
let bundle: Promise<string> | undefined;

/** Bundles a replica into one file, which starts half a second faster than the sources. */
async function bundled(): Promise<string> {
  const options = { ssr: SOURCE, write: false, target: 'node20' } as const;
  const built = await build({ configFile: false, logLevel: 'silent', build: options });
  if (!('output' in built)) throw new Error('the replica was not bundled into one file');
  return built.output[0].code;
}

/** Starts `queue-replica.ts` in a separate process. Resolves when it takes keys. */
export async function startReplica(options: ReplicaOptions): Promise<ChildProcess> {
  bundle ??= bundled();
  const { redisUrl, concurrency, reconcileMs, log = '' } = options;
  const argv = ['--input-type=module', '-', redisUrl, String(concurrency), String(reconcileMs), log];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(await bundle);
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return child;
}
