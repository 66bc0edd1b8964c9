import type { FlagTable, FlagValues } from '../flags/flags.ts';
import type { Terminal } from './terminal.ts';

/** A verb with its flags, as its module defines it. */
export interface Verb {
  readonly flags: FlagTable;
  readonly run: (terminal: Terminal, words: readonly string[], flags: object) => Promise<number>;
}

/** A verb that needs no server. */
export interface LocalVerb {
  readonly flags: FlagTable;
  readonly runLocally: (words: readonly string[], flags: object) => Promise<number>;
}

/** Defines a verb whose function receives the parsed values of its flags. */
export const verb = <F extends FlagTable>(
  flags: F,
  run: (terminal: Terminal, words: readonly string[], flags: FlagValues<F>) => Promise<number>,
): Verb => ({ flags, run: (terminal, words, values) => run(terminal, words, values as FlagValues<F>) });
