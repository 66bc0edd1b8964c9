import type { Mutation } from './operators.ts';

/** Bug patterns of Sieve (OSDI 2022), which found 46 bugs in ten operators. */
export type SievePattern = 'intermediate' | 'stale' | 'unobserved' | 'indirect';

/** A controller with one defect. */
export interface Mutant {
  /** Controller and defect: `cronjob/no-preconditions`. */
  readonly name: string;
  readonly controller: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  /** Reason why its different behaviour is not wrong. */
  readonly harmless?: string;
}

/** A defect, before it is combined with a controller. */
export interface Operator {
  readonly name: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  readonly harmless?: string;
}
