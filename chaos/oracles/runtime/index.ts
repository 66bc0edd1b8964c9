import type { Invariant } from '../../invariants/invariant.ts';
import { informerRules } from './informer-rules.ts';
import { paceRules } from './pace-rules.ts';
import { queueRules } from './queue-rules.ts';
import { requestRules } from './request-rules.ts';

/** Invariants of informers, queues and clients, for all controllers. */
export const runtimeInvariants: readonly Invariant[] = [
  ...informerRules,
  ...queueRules,
  ...requestRules,
  ...paceRules,
];

export { wrongIndexIn } from './informer-rules.ts';
