import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock/index.ts';
import { type Program, createProgram } from '../../chaos/live/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** API server with its controllers, started for one run. */
export interface RunServer {
  /** Client configuration of an administrator. */
  readonly config: string;
  stop(): Promise<void>;
}

/** Source of API servers that all start with the same state. */
export interface RunServers {
  /** Returns a new server. The next server is started in advance, because a start takes seconds. */
  next(): Promise<RunServer>;
  stop(): Promise<void>;
  /** Kills all servers without waiting for their end. For a program that exits. */
  kill(): void;
}

/** Command line that starts this program again. */
const SELF = [process.execPath, ...process.execArgv, process.argv[1] ?? ''] as const;

/**
 * Creates a source that stores the data of its servers below `parent`. No server starts before the first call
 * of `next`.
 */
export function createRunServers(vocabulary: Vocabulary, clock: Clock, parent: string): RunServers {
  let ahead: Promise<RunServer> | undefined;
  let pki: string | undefined;
  const programs = new Set<Program>();
  const start = async (): Promise<RunServer> => {
    const folder = await mkdtemp(join(parent, 'server-'));
    // All servers use the keys of the first server, because creating keys takes seconds.
    if (pki !== undefined) await cp(pki, join(folder, 'pki'), { recursive: true });
    const program = createProgram({
      name: 'API server',
      command: () => [...SELF, 'up', ...serverFlags(vocabulary, folder)],
      ready: /^ready (https:\S+)/m,
      readyMs: 120_000,
      clock,
      environment: process.env,
    });
    programs.add(program);
    await program.start();
    pki ??= await copyOfKeys(folder, parent);
    return {
      config: join(folder, 'admin.conf'),
      async stop() {
        await program.kill();
        programs.delete(program);
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
  return {
    async next() {
      const current = await (ahead ?? start());
      ahead = start();
      // The call that awaits the server reports a failure.
      ahead.catch(() => {});
      return current;
    },
    async stop() {
      await ahead?.then((server) => server.stop()).catch(() => {});
    },
    kill() {
      for (const program of programs) void program.kill();
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

/** Copies the keys of a data directory to a new directory below `parent`, and returns its path. */
async function copyOfKeys(folder: string, parent: string): Promise<string> {
  const copy = await mkdtemp(join(parent, 'pki-'));
  await cp(join(folder, 'pki'), copy, { recursive: true });
  return copy;
}
