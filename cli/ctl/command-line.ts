import { type FlagTable, type FlagValues, parseFlags } from '../flags.ts';

/** One letter for a flag, as users of such programs know them. */
const SHORT: { readonly [letter: string]: string } = {
  A: 'all-namespaces',
  f: 'filename',
  l: 'selector',
  n: 'namespace',
  o: 'output',
  p: 'patch',
  w: 'watch',
};

/** `-n x`, `-n=x`, `-nx` as `--namespace x` and `--namespace=x`; anything else as it is. */
function spelledOut(item: string): string {
  const name = SHORT[item[1] ?? ''];
  if (!/^-[a-zA-Z]/.test(item) || name === undefined) return item;
  const rest = item.slice(2).replace(/^=/, '');
  return rest === '' ? `--${name}` : `--${name}=${rest}`;
}

/** Whether a flag's value is the argument behind it: `--namespace x`, not `--namespace=x`. */
function takesNext(table: FlagTable, item: string): boolean {
  const name = item.slice(2);
  return !name.includes('=') && Object.hasOwn(table, name) && table[name]?.kind === 'text';
}

/** How many arguments are flags of the table that stand before the first word, and their values. */
export function countLeadingFlags(table: FlagTable, argv: readonly string[]): number {
  let at = 0;
  for (let item = argv[at]; item?.startsWith('-') && item !== '--'; item = argv[at])
    at += takesNext(table, spelledOut(item)) ? 2 : 1;
  return Math.min(at, argv.length);
}

/** A command's words and flags, in whatever order they stand; `--` ends the flags. Throws `UsageError`. */
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
    // As one argument: a value may be `-`, or look like a flag.
    const value = takesNext(table, item) ? argv[(at += 1)] : undefined;
    flags.push(value === undefined ? item : `${item}=${value}`);
  }
  return { words, flags: parseFlags(table, flags) };
}
