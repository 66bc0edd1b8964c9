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
  formerNumbers: {
    N1: 'valid-signatures',
    N2: 'no-signature-without-token',
    N3: 'no-foreign-change',
    N4: 'no-lost-signature',
    N5: 'no-leaked-token',
    E1: 'every-token-signs',
    E2: 'no-unpermitted-signature',
  },
  mutants: {
    watched: ['configmaps', 'secrets'],
    harmless: { 'cached-reads': READ_AGAIN, 'confirm-error-swallowed': READ_AGAIN },
  },
};
