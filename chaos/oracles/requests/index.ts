import type { Invariant } from '../../invariants/invariant.ts';
import { droppedReferences } from './dropped-references.ts';
import { idleWrites } from './idle-writes.ts';
import { repeatedCreations } from './repeated-creations.ts';
import { undecidedWrites } from './undecided-writes.ts';

/** Invariants about single requests of any controller. */
export const requestInvariants: readonly Invariant[] = [
  idleWrites,
  repeatedCreations,
  undecidedWrites,
  droppedReferences,
];
