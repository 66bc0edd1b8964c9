import { type FlagTable, type FlagValues, parseFlags } from '../flags/flags.ts';

/** Single-letter flags, as in kubectl. */
const SHORT: { readonly [letter: string]: string } = {
  A: 'all-namespaces',
  L: 'label-columns',
  R: 'recursive',
  f: 'filename',
  l: 'selector',
  n: 'namespace',
  o: 'output',
  p: 'patch',
  w: 'watch',
};

/**
 * Expands `-n x`, `-n=x` and `-nx` to `--namespace x` and `--namespace=x`. Returns any other argument
 * unchanged.
 */
function spelledOut(item: string): string {
  const name = SHORT[item[1] ?? ''];
  if (!/^-[a-zA-Z]/.test(item) || name === undefined) return item;
  const rest = item.slice(2).replace(/^=/, '');
  return rest === '' ? `--${name}` : `--${name}=${rest}`;
}

/** True if the value of a flag is the next argument, as in `--namespace x`; false for `--namespace=x`. */
function takesNext(table: FlagTable, item: string): boolean {
  const name = item.slice(2);
  return !name.includes('=') && Object.hasOwn(table, name) && table[name]?.kind === 'text';
}

/** True if an argument such as `-n`, `--namespace` or `--namespace=x` is a flag of the table. */
export const isFlagOf = (table: FlagTable, item: string): boolean =>
  Object.hasOwn(table, spelledOut(item).slice(2).replace(/=.*$/s, ''));

/**
 * Returns the number of arguments before the first word. They are flags of the table and the values of these
 * flags.
 */
export function countLeadingFlags(table: FlagTable, argv: readonly string[]): number {
  let at = 0;
  for (let item = argv[at]; item?.startsWith('-') && item !== '--'; item = argv[at])
    at += takesNext(table, spelledOut(item)) ? 2 : 1;
  return Math.min(at, argv.length);
}

/**
 * Parses the words and flags of a command in any order. `--` ends the flags. Throws `UsageError` for an
 * invalid flag.
 */
export function readCommandLine<F extends FlagTable>(
  table: F,
  argv: readonly string[],
): { readonly words: readonly string[]; readonly flags: FlagValues<F> } {
  const words: string[] = [];
  const flags: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const item = spelledOut(argv[at] ?? '');
    if (item === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!item.startsWith('--')) {
      words.push(item);
      continue;
    }
    // Flag and value are joined into one argument, because a value may be `-` or look like a flag.
    const value = takesNext(table, item) ? argv[(at += 1)] : undefined;
    flags.push(value === undefined ? item : `${item}=${value}`);
  }
  return { words, flags: parseFlags(table, flags) };
}
