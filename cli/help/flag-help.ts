import { type Flag, type FlagTable, UsageError } from '../flags/flags.ts';
import { suggestion } from './close-names.ts';
import { inColumns } from './columns.ts';
import { type FlagGroup, groupsOf } from './flag-groups.ts';

/** Columns of flag names; longer names have their own line. */
const NAME_WIDTH = 24;
/** Columns of `--help=GROUP`. */
const GROUP_WIDTH = 32;

/** Returns the flags of a table as text, one paragraph each, at most 100 columns wide. */
export const describeFlags = (table: FlagTable): string =>
  Object.entries(table)
    .map(([name, flag]) => inColumns(`--${name}`, `${flag.help}${describeDefault(flag)}`, NAME_WIDTH))
    .join('\n');

function describeDefault({ fallback, shown: given }: Flag<unknown>): string {
  const shown = given ?? (Array.isArray(fallback) ? fallback.join(',') : String(fallback));
  return shown === '' ? '' : ` (default ${shown})`;
}

/**
 * Returns the group in `--help=GROUP`, '' for `--help` and `-h`, or undefined if the arguments do not ask for
 * help.
 */
export function askedHelp(argv: readonly string[]): string | undefined {
  const asked = argv.find((arg) => arg === '-h' || arg === '--help' || arg.startsWith('--help='));
  return asked?.startsWith('--help=') ? asked.slice('--help='.length) : asked && '';
}

/**
 * Returns the flag part of a help text. A table with `first` flags shows these and the names of its groups
 * for `asked` '', one group for the name of a group, and everything for `all`. Throws `UsageError` for any
 * other group.
 */
export function flagHelp(table: FlagTable, asked: string, first: readonly string[] = []): string {
  const groups = first.length === 0 ? [] : groupsOf(table);
  if (asked === '' && first.length > 0) return firstFlags(table, first, groups);
  if (asked === '' || asked === 'all')
    return groups.length === 0 ? describeFlags(table) : groups.map(describeGroup).join('\n\n');
  const group = groups.find(({ name }) => name === asked);
  if (group) return describeGroup(group);
  const names = ['all', ...groups.map(({ name }) => name)];
  const close = suggestion(asked, names);
  throw new UsageError(
    `unknown help group ${JSON.stringify(asked)}${close === '' ? `: expected ${names.join(', ')}` : close}`,
  );
}

const describeGroup = ({ subject, flags }: FlagGroup): string => `${subject}:\n\n${describeFlags(flags)}`;

function firstFlags(table: FlagTable, first: readonly string[], groups: readonly FlagGroup[]): string {
  const chosen = Object.fromEntries(Object.entries(table).filter(([name]) => first.includes(name)));
  const count = Object.keys(table).length;
  const lines = [
    ...groups.map(({ name, subject, flags }) => {
      const size = Object.keys(flags).length;
      return inColumns(
        `--help=${name}`,
        `${subject} (${size} ${size === 1 ? 'flag' : 'flags'})`,
        GROUP_WIDTH,
      );
    }),
    inColumns('--help=all', `all ${count} flags`, GROUP_WIDTH),
  ];
  return `${describeFlags(chosen)}\n\nAll flags, by subject:\n\n${lines.join('\n')}`;
}
