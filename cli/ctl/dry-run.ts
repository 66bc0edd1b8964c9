import type { Flag } from '../flags/flags.ts';

/** Values of `--dry-run`. */
export type DryRun = 'none' | 'client' | 'server';

const VALUES: { readonly [given: string]: DryRun } = {
  none: 'none',
  false: 'none',
  client: 'client',
  server: 'server',
  true: 'server',
};

/** The flag `--dry-run`, with or without a value. */
export const dryRunFlag: Flag<DryRun> = {
  kind: 'switch',
  help: 'store nothing: server lets the server process the request, client sends none; without a value server',
  fallback: 'none',
  parse(given) {
    const found = Object.hasOwn(VALUES, given) ? VALUES[given] : undefined;
    if (found === undefined) throw new Error('expected none, client or server');
    return found;
  },
};

/** Returns the query parameter of a request. */
export const dryRunParameter = (dryRun: DryRun): string => (dryRun === 'server' ? 'All' : '');

/** Returns the words after a result, such as ` (server dry run)`. */
export const dryRunNote = (dryRun: DryRun): string =>
  dryRun === 'none' ? '' : dryRun === 'server' ? ' (server dry run)' : ' (dry run)';
