import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Figure, Scale } from './row.ts';
import { rows } from './rows/index.ts';
import { heading, line } from './table.ts';

const USAGE = `usage: run.js [--quick] [--json FILE] [NAME...]

Measures each row and a ceiling in the same run, and prints the figures. Names: ${rows.map(({ name }) => name).join(', ')}.
--quick measures briefly, to check that every row runs. Exit code 1 if a row fails; a figure that misses its target is
no failure, because other load on the machine may cause it.
`;

/**
 * Time limit of a row in milliseconds, far above the normal duration, so that a row that hangs does not block
 * the others.
 */
const LIMIT_MS = { quick: 240_000, full: 600_000 };

interface Failure {
  readonly row: string;
  readonly error: string;
}

async function measure(name: string, scale: Scale): Promise<readonly Figure[] | Failure> {
  const child = fork(new URL('./row-main.js', import.meta.url).pathname, [name, scale], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Own process group, so that everything the row has started ends with it.
    detached: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  let figures: readonly Figure[] | undefined;
  child.on('message', (message: readonly Figure[]) => (figures = message));
  const limit = setTimeout(() => killGroup(child.pid), LIMIT_MS[scale]);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(limit);
  if (signal === 'SIGKILL') return { row: name, error: `took more than ${LIMIT_MS[scale]} ms` };
  return figures ?? { row: name, error: errors.trim() || `exited with code ${code} without figures` };
}

function killGroup(leader: number | undefined): void {
  if (leader !== undefined) process.kill(-leader, 'SIGKILL');
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(unknown.length > 0 ? `unknown row ${unknown.join(', ')}\n\n${USAGE}` : USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  const scale: Scale = values.quick ? 'quick' : 'full';
  const busy = (loadavg()[0] ?? 0) > 0.5;
  if (busy)
    process.stdout.write(
      `the machine is busy (load ${loadavg()[0]?.toFixed(2)}): only the ratios are reliable\n`,
    );
  process.stdout.write(`${heading}\n`);
  const figures: Figure[] = [];
  const failures: Failure[] = [];
  for (const { name } of rows) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const measured = await measure(name, scale);
    if ('error' in measured) {
      failures.push(measured);
      process.stdout.write(`${name} failed: ${measured.error}\n`);
      continue;
    }
    for (const figure of measured) process.stdout.write(`${line(figure)}\n`);
    figures.push(...measured);
  }
  if (values.json !== undefined) {
    const machine = { node: process.version, cores: availableParallelism(), load: loadavg()[0] };
    await writeFile(values.json, `${JSON.stringify({ scale, machine, figures, failures }, undefined, 2)}\n`);
  }
  return failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
