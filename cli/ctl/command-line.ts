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
    const name = item.slice(2);
    const takesNext = !name.includes('=') && Object.hasOwn(table, name) && table[name]?.kind === 'text';
    // As one argument: a value may be `-`, or look like a flag.
    const value = takesNext ? argv[(at += 1)] : undefined;
    flags.push(value === undefined ? item : `${item}=${value}`);
  }
  return { words, flags: parseFlags(table, flags) };
}
