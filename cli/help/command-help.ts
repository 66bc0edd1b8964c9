import { UsageError } from '../flags/flags.ts';
import { suggestion } from './close-names.ts';
import { inColumns, wrapped, HELP_WIDTH } from './columns.ts';

/** Part of a command that help texts show. */
export interface Described {
  readonly about: string;
  /** Arguments between the command and its flags, such as `TRACE`. */
  readonly takes?: string;
  /** Heading in the overview; default none. */
  readonly group?: string;
}
export type Commands<C extends Described> = { readonly [name: string]: C };

const NAME_WIDTH = 20;

/** Returns the list of commands, below the headings of their groups. */
export function describeCommands(commands: Commands<Described>): string {
  const groups = new Map<string, string[]>();
  for (const [name, { about, group = '' }] of Object.entries(commands))
    groups.set(group, [...(groups.get(group) ?? []), inColumns(name, about, NAME_WIDTH)]);
  return [...groups]
    .map(([group, lines]) => `${group === '' ? '' : `${group}:\n`}${lines.join('\n')}`)
    .join('\n\n');
}

/** Returns the usage line and the description of a command. */
export const describeCommand = (program: string, name: string, { about, takes = '' }: Described): string =>
  `usage: ${[program, name, takes].filter(Boolean).join(' ')} [--flag value ...]\n\n${wrapped(about, HELP_WIDTH).join('\n')}`;

/** Command that the arguments name, or the commands that start with their first word. */
export type Chosen<C extends Described> =
  | { readonly name: string; readonly command: C; readonly rest: readonly string[] }
  | { readonly family: string; readonly commands: Commands<C>; readonly rest: readonly string[] };

/**
 * Returns the command of one or two words at the start of the arguments. A first word such as `chaos`, alone
 * or before flags, is the family of its commands. Throws `UsageError` with close names for anything else.
 */
export function chooseCommand<C extends Described>(
  program: string,
  commands: Commands<C>,
  argv: readonly string[],
): Chosen<C> {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command) return { name, command, rest: argv.slice(words) };
  }
  const [family = '', second] = argv;
  const relatives = Object.entries(commands).filter(([name]) => name.startsWith(`${family} `));
  const isAlone = second === undefined || second.startsWith('-');
  if (relatives.length > 0 && isAlone)
    return { family, commands: Object.fromEntries(relatives), rest: argv.slice(1) };
  throw unknownCommand(program, Object.keys(commands), argv);
}

function unknownCommand(program: string, names: readonly string[], argv: readonly string[]): UsageError {
  const [first = '', second = ''] = argv;
  const families = [
    ...new Set(names.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : []))),
  ];
  const isFamily = families.includes(first);
  const given = isFamily ? `${first} ${second}` : first;
  const sameFamily = names.filter((name) => name.startsWith(`${first} `));
  // The second word is compared alone, because the same first word would make every relative a close name.
  const close = isFamily
    ? suggestion(
        second,
        sameFamily.map((name) => name.slice(first.length + 1)),
        `${first} `,
      )
    : suggestion(first, [...names, ...families]);
  const expected = (isFamily ? sameFamily : names).join(', ');
  return new UsageError(
    `unknown command ${JSON.stringify(given)}${close === '' ? `: expected ${expected}` : `${close} ${program} --help lists the commands`}`,
  );
}
