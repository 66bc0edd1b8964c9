import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { createPictures, describeMachine, toMermaid, toScxml, toSvg } from '../../dashboard/index.ts';
import { makeFolder } from '../files/files.ts';
import { machinesFlags } from '../flags/flag-tables.ts';
import { UsageError, parseFlags } from '../flags/flags.ts';
import { printedMachines } from './known-machines.ts';

type Format = 'mermaid' | 'svg' | 'json' | 'scxml';

const EXTENSIONS: Readonly<Record<Format, string>> = {
  mermaid: 'mmd',
  svg: 'svg',
  json: 'json',
  scxml: 'scxml',
};

/**
 * Runs `orch machines`, which lists the machines or prints the named machine. `--format json` without a name
 * prints all machines as a list. `--output` writes each machine to a file.
 */
export async function machines(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  const name = first === undefined || first.startsWith('-') ? undefined : first;
  const { format, output } = parseFlags(machinesFlags, name === undefined ? argv : rest);
  const chosen = choose(name);
  const print = createPrinter();
  if (output !== '') await writeAll(chosen, format || 'svg', output, print);
  else if (name === undefined && format === '') say(chosen.map(({ id }) => `${id}\n`).join(''));
  else if (name !== undefined) say(await printed(chosen, format || 'mermaid', print));
  else if (format === 'json')
    say(`[${(await Promise.all(chosen.map((each) => print(each, format)))).join(',')}]\n`);
  else throw new UsageError(`--format ${format} needs the name of a machine, or --output a folder`);
  return 0;
}

const say = (text: string): void => void process.stdout.write(text);

function choose(name: string | undefined): readonly AnyStateMachine[] {
  const all = printedMachines();
  const chosen = name === undefined ? all : all.filter(({ id }) => id === name);
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `unknown machine ${JSON.stringify(name)}: expected ${all.map(({ id }) => id).join(', ')}`,
  );
}

type Print = (machine: AnyStateMachine, format: Format) => Promise<string>;

const printed = async (chosen: readonly AnyStateMachine[], format: Format, print: Print): Promise<string> =>
  (await Promise.all(chosen.map((each) => print(each, format)))).join('');

/** Creates a printer of machines in every format. */
export function createPrinter(): Print {
  const pictures = createPictures();
  return async (machine, format) => {
    switch (format) {
      case 'mermaid':
        return toMermaid(describeMachine(machine));
      case 'scxml':
        return toScxml(describeMachine(machine));
      case 'svg':
        return toSvg(await pictures.of(machine));
      case 'json':
        return `${JSON.stringify(await pictures.of(machine))}\n`;
    }
  };
}

async function writeAll(
  chosen: readonly AnyStateMachine[],
  format: Format,
  folder: string,
  print: Print,
): Promise<void> {
  makeFolder(folder);
  for (const machine of chosen)
    await writeFile(join(folder, `${machine.id}.${EXTENSIONS[format]}`), await print(machine, format));
}
