import { secrets } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import { bootstrapTokens } from '../../workload/accounts.ts';
import { rareBootstrapTokens } from '../../workload/one-of-each.ts';
import { tokenCleanerFacts } from './facts.ts';
import { tokenCleanerInvariants } from './invariants.ts';
import { tokenCleanerScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `tokencleaner`. */
export const tokenCleanerTwin: ControllerTwin = {
  name: 'tokencleaner',
  invariants: ({ vocabulary }) => about([secrets], tokenCleanerInvariants(vocabulary)),
  facts: ({ vocabulary }) => tokenCleanerFacts(vocabulary),
  rights: [{ resource: '/secrets', deletes: true }],
  scenario: tokenCleanerScenario,
  workload: [bootstrapTokens],
  rareWorkload: [rareBootstrapTokens],
  formerNumbers: {
    N1: 'only-expiring-tokens',
    N2: 'no-early-deletion',
    N3: 'no-extended-deletion',
    E1: 'expired-is-deleted',
  },
  mutants: { watched: ['secrets'] },
};
