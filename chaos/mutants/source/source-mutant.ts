import type { Risk } from './change.ts';

/** A mutant of one place in the source. */
export interface SourceMutant {
  /** Number of the mutant's switch, from 1. It differs between samples. */
  readonly id: number;
  /** Name that is the same in every sample of the same source: file, line, column, operator and number. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly says: string;
  readonly risk: Risk;
  /** Source text before and after, shortened to one line. */
  readonly original: string;
  readonly mutated: string;
}
