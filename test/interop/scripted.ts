import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkbench } from '../e2e/process.ts';
import { recordNotRun } from '../services.ts';

/** A library of another language that a script of `scripts/` is a session of. */
export interface ScriptedClient {
  readonly suite: string;
  /** Absolute path of the language's own program. */
  readonly program: string;
  /** Arguments with which the program ends well where the library is there. */
  readonly probe: readonly string[];
  readonly script: string;
  /** The Debian package that brings it. */
  readonly packedIn: string;
}

/** What became of each step: its value, or what was thrown. */
export type Told = ReadonlyMap<string, { readonly value?: unknown; readonly error?: unknown }>;

/** Whether the library is missing here, which the run's report then says. */
export function isMissing({ suite, program, probe, packedIn }: ScriptedClient): boolean {
  if (existsSync(program)) {
    try {
      execFileSync(program, probe, { stdio: 'ignore' });
      return false;
    } catch {
      // The program is there without the library.
    }
  }
  recordNotRun(suite, `its library was not found (apt-get install ${packedIn})`);
  return true;
}

/** Runs the script as the administrator of a new cluster, from the first step to the last. */
export async function playScript({ program, script }: ScriptedClient): Promise<Told> {
  const bench = createWorkbench();
  try {
    const data = join(bench.folder(), 'data');
    await bench
      .orch(['up', '--data-dir', data, '--secure-port', '0', '--vocabulary', 'kubernetes'])
      .output(/^ready https/m);
    const path = join(import.meta.dirname, 'scripts', script);
    const session = bench.spawn(program, [path, join(data, 'admin.conf')], {});
    const { code } = await session.exit(100_000);
    if (code !== 0) throw new Error(`${script} ended with ${code}: ${session.stderr}`);
    const lines = session.stdout.split('\n').filter((line) => line !== '');
    return new Map(
      lines.map((line) => {
        const { step, ...outcome } = JSON.parse(line) as { step: string; value?: unknown; error?: unknown };
        return [step, outcome];
      }),
    );
  } finally {
    await bench.close();
  }
}
