import type { Invariant } from '../../invariants/invariant.ts';
import { awaitedRequests } from './awaited-requests.ts';
import { droppedReferences } from './dropped-references.ts';
import { idleWrites } from './idle-writes.ts';
import { repeatedCreations } from './repeated-creations.ts';
import { swallowedFailures } from './swallowed-failures.ts';
import { unconditionalUpdates } from './unconditional-updates.ts';
import { undecidedWrites } from './undecided-writes.ts';

/**
 * Returns the invariants about single requests of any controller.
 * @param keeping controllers that must not even remove references to what controls an object
 */
export const requestInvariants = (keeping: ReadonlySet<string>): readonly Invariant[] => [
  idleWrites,
  repeatedCreations,
  undecidedWrites,
  unconditionalUpdates,
  swallowedFailures,
  awaitedRequests,
  droppedReferences(keeping),
];
