import { parseArgs } from 'node:util';
import { parseGoDuration } from '../../base/cron/index.ts';
import { ownFlagName } from '../../api/vocabulary/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { suggestion } from '../help/close-names.ts';

/** Command-line flag with its parser, default and help text. */
export interface Flag<T> {
  readonly kind: 'text' | 'switch';
  readonly help: string;
  readonly fallback: T;
  /** Parses the text form. Throws `Error` with the accepted values. */
  readonly parse: (text: string) => T;
  /**
   * Meaning of a repeated flag: the last value (default), or all values joined by commas or by line breaks.
   */
  readonly repeats?: 'joined' | 'lines';
  /** Default for `--help`; undefined if the text form of the default is readable. */
  readonly shown?: string;
}

export type FlagTable = { readonly [name: string]: Flag<unknown> };
export type FlagValues<F extends FlagTable> = {
  readonly [N in keyof F]: F[N] extends Flag<infer T> ? T : never;
};

const flag = <T>(fallback: T, help: string, parse: (text: string) => T): Flag<T> => ({
  kind: 'text',
  help,
  fallback,
  parse,
});

export const text = (fallback: string, help: string): Flag<string> => flag(fallback, help, (given) => given);

/**
 * Returns a flag for a path. An empty path is rejected, because an unset variable would select the working
 * directory.
 */
export const path = (fallback: string, help: string): Flag<string> =>
  flag(fallback, help, (given) => {
    if (given === '') throw new Error('expected a path');
    return given;
  });

/**
 * Returns a flag for a comma-separated list without surrounding spaces. Repeated flags are joined.
 * @param accepted valid items; default any item
 */
export const list = (
  fallback: readonly string[],
  help: string,
  accepted?: readonly string[],
): Flag<readonly string[]> => ({
  ...flag(fallback, help, (given) => {
    const items = given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    const stranger = accepted && items.find((item) => !accepted.includes(item));
    if (stranger !== undefined)
      throw new Error(`${JSON.stringify(stranger)} is not one of ${accepted?.join(', ') ?? ''}`);
    return items;
  }),
  repeats: 'joined',
});

/** Returns a repeatable flag `key=value`, whose value may contain commas. */
export const pairs = (help: string): Flag<readonly (readonly [key: string, value: string])[]> => ({
  ...flag<readonly (readonly [string, string])[]>([], help, (given) =>
    given.split('\n').map((pair) => {
      const equals = pair.indexOf('=');
      if (equals <= 0) throw new Error('expected key=value');
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  ),
  repeats: 'lines',
});

export const oneOf = <const V extends readonly string[]>(
  values: V,
  fallback: V[number],
  help: string,
): Flag<V[number]> =>
  flag<V[number]>(fallback, help, (given) => {
    const found = values.find((value) => value === given);
    if (found === undefined)
      throw new Error(`expected one of ${values.filter((value) => value !== '').join(', ')}`);
    return found;
  });

export const integer = (fallback: number, help: string, range: { min: number; max: number }): Flag<number> =>
  flag(fallback, help, (given) => {
    const value = Number(given);
    if (!/^-?\d+$/.test(given) || value < range.min || value > range.max)
      throw new Error(`expected a whole number from ${range.min} to ${range.max}`);
    return value;
  });

/**
 * Returns a flag for a duration such as `1h30m`, in milliseconds. `--help` prints the default in this form.
 */
export const duration = (fallback: string, help: string): Flag<number> => ({
  ...flag(parseGoDuration(fallback), help, parseGoDuration),
  shown: fallback,
});

/** Returns a boolean flag in the form `--name`, `--name=true` or `--name=false`. */
export const toggle = (fallback: boolean, help: string): Flag<boolean> => ({
  kind: 'switch',
  help,
  fallback,
  parse: (given) => {
    if (given !== 'true' && given !== 'false') throw new Error('expected true or false');
    return given === 'true';
  },
});

export class UsageError extends CodedError<'ERR_USAGE'> {
  constructor(message: string) {
    super('ERR_USAGE', message);
  }
}

/**
 * Returns two file flags that require each other, or undefined if neither is set. Throws `UsageError` if only
 * one is set.
 */
export function filePair<A extends string, B extends string>(
  flags: { readonly [N in A | B]: string },
  first: A,
  second: B,
): readonly [first: string, second: string] | undefined {
  const files = [flags[first], flags[second]] as const;
  if ((files[0] === '') !== (files[1] === '')) throw new UsageError(`--${first} and --${second} go together`);
  return files[0] === '' ? undefined : files;
}

/**
 * Parses `--name value` and `--name=value`. A flag with a product name is also accepted under its upstream
 * name. Throws `UsageError` for an unknown flag or an invalid value.
 */
export function parseFlags<F extends FlagTable>(table: F, argv: readonly string[]): FlagValues<F> {
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(table).map(([name, { fallback }]) => [name, fallback]),
  );
  for (const [name, given] of joined(table, readArguments(table, argv))) {
    try {
      values[name] = table[name]?.parse(given);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new UsageError(`invalid value ${JSON.stringify(given)} for --${name}: ${why}`);
    }
  }
  return values as FlagValues<F>;
}

/** Returns each flag once, with its effective value. */
function joined(
  table: FlagTable,
  read: readonly (readonly [name: string, value: string])[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of read) {
    const repeats = table[name]?.repeats;
    const before = repeats === undefined ? undefined : values.get(name);
    values.set(name, before === undefined ? value : `${before}${repeats === 'lines' ? '\n' : ','}${value}`);
  }
  return values;
}

function readArguments(
  table: FlagTable,
  argv: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, allowPositionals: true });
  const read: (readonly [string, string])[] = [];
  const taken = new Set<number>();
  for (const token of tokens) {
    // The argument is the value of the previous flag, even if it looks like a flag: `--controllers
    // -csrcleaner`.
    if (taken.has(token.index)) continue;
    if (token.kind === 'positional')
      throw new UsageError(`unexpected argument ${JSON.stringify(token.value)}`);
    if (token.kind !== 'option') continue;
    const name = ownFlagName(token.name);
    const known = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!known) throw unknownFlag(table, argv[token.index] ?? token.rawName);
    const following = argv[token.index + 1];
    if (token.value !== undefined) read.push([name, token.value]);
    else if (known.kind === 'switch') read.push([name, 'true']);
    else if (following !== undefined) {
      taken.add(token.index + 1);
      read.push([name, following]);
    } else throw new UsageError(`--${token.name} needs a value`);
  }
  return read;
}

/** Returns the error for an argument such as `--dta-dir=x` or `-data-dir`, with the closest flags. */
function unknownFlag(table: FlagTable, given: string): UsageError {
  const spelled = given.replace(/=.*$/s, '');
  const close = suggestion(ownFlagName(spelled.replace(/^-+/, '')), Object.keys(table), '--');
  return new UsageError(
    `unknown flag ${spelled}${close === '' ? ';' : close} --help=all lists the known flags`,
  );
}
