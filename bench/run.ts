import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { BUSY, type MachineClass, reportOf } from './report.ts';
import type { Figure, Scale } from './row.ts';
import { rows } from './rows/index.ts';
import { heading, line } from './table.ts';

const USAGE = `usage: run.js [--quick] [--json FILE] [--report FILE] [NAME...]

Measures each row and a ceiling in the same run, and prints the figures. Names: ${rows.map(({ name }) => name).join(', ')}.
--quick measures briefly, to check that every row runs. --report writes a Markdown page with machine class and versions.
Exit code 1 if a row fails; a figure that misses its target is no failure, because other load on the machine may cause
it.
`;

/**
 * Time limit of a row in milliseconds, far above the normal duration, so that a row that hangs does not block
 * the following rows.
 */
const LIMIT_MS = { quick: 240_000, full: 600_000 };

interface Failure {
  readonly row: string;
  readonly error: string;
}

async function measure(name: string, scale: Scale): Promise<readonly Figure[] | Failure> {
  const child = fork(new URL('./row-main.js', import.meta.url).pathname, [name, scale], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // The row has its own process group, so that all processes that it has started end with it.
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
      report: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(unknown.length > 0 ? `unknown row ${unknown.join(', ')}\n\n${USAGE}` : USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  const scale: Scale = values.quick ? 'quick' : 'full';
  const machine = machineClass();
  if (machine.load > BUSY)
    process.stdout.write(
      `the machine is busy (load ${machine.load.toFixed(2)}): only the ratios are reliable\n`,
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
    const found = { node: process.version, cores: machine.cores, load: loadavg()[0] };
    await writeFile(
      values.json,
      `${JSON.stringify({ scale, machine: found, figures, failures }, undefined, 2)}\n`,
    );
  }
  if (values.report !== undefined) {
    const page = reportOf({
      scale,
      machine,
      versions: { 'Node.js': process.versions.node, V8: process.versions.v8 },
      date: new Date().toISOString().slice(0, 10),
      command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
      figures,
      failures,
    });
    // The package is a development dependency, which users do not install.
    const { format } = await import('prettier');
    await writeFile(values.report, await format(page, { parser: 'markdown', printWidth: 110 }));
  }
  return failures.length > 0 ? 1 : 0;
}

const machineClass = (): MachineClass => ({
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${platform()} ${arch()}`,
  load: loadavg()[0] ?? 0,
});

process.exitCode = await main();
