import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkbench } from '../e2e/process.ts';
import { recordNotRun } from '../services.ts';

/** Client library of another language, used by a script in `scripts/`. */
export interface ScriptedClient {
  readonly suite: string;
  /** Absolute path of the language's interpreter. */
  readonly program: string;
  /** Arguments with which the interpreter exits with 0 if the library is installed. */
  readonly probe: readonly string[];
  readonly script: string;
  /** Debian package that contains the library. */
  readonly packedIn: string;
}

/** Outcome of each step: its value or its error. */
export type Told = ReadonlyMap<string, { readonly value?: unknown; readonly error?: unknown }>;

/** True if the library is missing. The test report shows this. */
export function isMissing({ suite, program, probe, packedIn }: ScriptedClient): boolean {
  if (existsSync(program)) {
    try {
      execFileSync(program, probe, { stdio: 'ignore' });
      return false;
    } catch {
      // The interpreter exists, but the library does not.
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
    if (code !== 0) throw new Error(`${script} exited with ${code}: ${session.stderr}`);
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
