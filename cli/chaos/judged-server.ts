import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock/index.ts';
import { createProgram } from '../../chaos/live/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** API server with its controllers, started for one run. */
export interface RunServer {
  /** Client configuration of an administrator. */
  readonly config: string;
  stop(): Promise<void>;
}

/** Source of API servers that all start in the same state. */
export interface RunServers {
  /** Returns a new server. The next one already starts meanwhile, because a start takes seconds. */
  next(): Promise<RunServer>;
  stop(): Promise<void>;
}

/** Command line of this program, to start it again. */
const SELF = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] as const;

/** Creates the source; nothing starts before the first call of `next`. */
export function createRunServers(vocabulary: Vocabulary, clock: Clock): RunServers {
  let ahead: Promise<RunServer> | undefined;
  let pki: string | undefined;
  const start = async (): Promise<RunServer> => {
    const folder = await mkdtemp(join(tmpdir(), 'chaos-judge-'));
    // The keys of the first server serve all: making new ones takes seconds.
    if (pki !== undefined) await cp(pki, join(folder, 'pki'), { recursive: true });
    const program = createProgram({
      name: 'API server',
      command: () => [...SELF, 'up', ...serverFlags(vocabulary, folder)],
      ready: /^ready (https:\S+)/m,
      readyMs: 120_000,
      clock,
      environment: process.env,
    });
    await program.start();
    pki ??= await kept(folder);
    return {
      config: join(folder, 'admin.conf'),
      async stop() {
        await program.kill();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
  return {
    async next() {
      const current = await (ahead ?? start());
      ahead = start();
      // A failure is reported by the call that awaits it.
      ahead.catch(() => {});
      return current;
    },
    async stop() {
      await ahead?.then((server) => server.stop()).catch(() => {});
      if (pki !== undefined) await rm(pki, { recursive: true, force: true });
    },
  };
}

const serverFlags = ({ product }: Vocabulary, folder: string): readonly string[] => [
  '--vocabulary',
  product,
  '--data-dir',
  folder,
  '--secure-port',
  '0',
];

/** Copies the keys of a data folder; returns the copy. */
async function kept(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'chaos-judge-pki-'));
  await cp(join(folder, 'pki'), copy, { recursive: true });
  return copy;
}
