import { bootstrapTokens } from '../../workload/accounts.ts';
import { rareBootstrapTokens } from '../../workload/one-of-each.ts';
import { bootstrapSignerInvariants } from './invariants.ts';
import { bootstrapSignerScenario, withdrawnRightsScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

const READ_AGAIN = 'if the API shows less than the caches, it is read again within a minute';

/** Twin of the controller `bootstrapsigner`. */
export const bootstrapSignerTwin: ControllerTwin = {
  name: 'bootstrapsigner',
  invariants: ({ vocabulary }) => bootstrapSignerInvariants(vocabulary),
  rights: [{ resource: '/configmaps', fields: ['data.jws-kubeconfig-*'] }],
  scenario: bootstrapSignerScenario,
  scenarios: { rights: withdrawnRightsScenario },
  workload: [bootstrapTokens],
  rareWorkload: [rareBootstrapTokens],
  mutants: {
    watched: ['configmaps', 'secrets'],
    harmless: { 'cached-reads': READ_AGAIN, 'confirm-error-swallowed': READ_AGAIN },
  },
};
