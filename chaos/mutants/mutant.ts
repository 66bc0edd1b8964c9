import type { Mutation } from './operators.ts';

/** Bug pattern of Sieve (OSDI 2022), a study that found 46 bugs in ten operators. */
export type SievePattern = 'intermediate' | 'stale' | 'unobserved' | 'indirect';

/** A controller with one defect. */
export interface Mutant {
  /** Controller and defect: `cronjob/no-preconditions`. */
  readonly name: string;
  readonly controller: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  /** Reason why the different behaviour is correct. Undefined for a harmful mutant. */
  readonly harmless?: string;
}

/** A defect that can be applied to several controllers. */
export interface Operator {
  readonly name: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  readonly harmless?: string;
}
