import { secrets, serviceAccounts as accounts } from '../../../api/groups/index.ts';
import { settingsOf } from '../../explore/scenarios/settings.ts';
import { undisturbed } from '../../explore/scenarios/undisturbed.ts';
import { about } from '../../invariants/invariant.ts';
import { serviceAccounts } from '../../workload/accounts.ts';
import { rareServiceAccounts } from '../../workload/one-of-each.ts';
import { serviceAccountTokenInvariants } from './invariants.ts';
import {
  duplicatedTokenScenario,
  emptiedTokenScenario,
  rotatedTokenScenario,
  serviceAccountTokenScenario,
} from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `serviceaccount-token`. */
export const serviceAccountTokenTwin: ControllerTwin = {
  name: 'serviceaccount-token',
  invariants: ({ vocabulary }) => about([secrets, accounts], serviceAccountTokenInvariants(vocabulary)),
  rights: [
    { resource: '/secrets', creates: true, deletes: true, fields: ['data', 'metadata.annotations'] },
    { resource: '/serviceaccounts', fields: ['secrets'] },
  ],
  scenario: serviceAccountTokenScenario,
  scenarios: {
    duplicated: (vocabulary, objects) =>
      duplicatedTokenScenario(settingsOf(vocabulary).rootCa)(vocabulary, objects),
    emptied: emptiedTokenScenario,
    rotated: (vocabulary, objects) =>
      rotatedTokenScenario(settingsOf(vocabulary).rootCa)(vocabulary, objects),
    undisturbed: undisturbed(serviceAccountTokenScenario),
  },
  workload: [serviceAccounts],
  rareWorkload: [rareServiceAccounts],
  formerNumbers: {
    N1: 'no-needed-token-deleted',
    N2: 'token-of-its-account',
    N3: 'no-token-replaced',
    N4: 'no-foreign-data-lost',
    N5: 'no-second-generated-token',
    N6: 'no-token-of-old-account',
    N7: 'no-named-token-deleted',
    E1: 'token-is-filled',
    E2: 'current-certificate',
    E3: 'no-orphaned-token',
    E4: 'no-dangling-reference',
    E6: 'every-account-has-token',
    E7: 'one-of-two-left',
  },
  mutants: { watched: ['secrets', 'serviceaccounts'] },
};
