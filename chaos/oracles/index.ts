import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { SearchedResources } from '../controllers/twin.ts';
import type { Invariant } from '../invariants/invariant.ts';
import { choiceInvariants } from './choice/index.ts';
import { dueInvariants } from './due/index.ts';
import { heldInvariants } from './held/index.ts';
import { lifecycleInvariants } from './lifecycles/index.ts';
import { paceInvariants } from './pace/index.ts';
import { requestInvariants } from './requests/index.ts';

/** Invariants that follow from tables of release 1.24 and from rules for any controller. */
export const oracleInvariants = (
  vocabulary: Vocabulary,
  resources: SearchedResources,
): readonly Invariant[] => [
  ...requestInvariants,
  ...choiceInvariants,
  ...paceInvariants,
  ...dueInvariants(vocabulary),
  ...heldInvariants(vocabulary, resources),
  ...lifecycleInvariants(vocabulary),
];
