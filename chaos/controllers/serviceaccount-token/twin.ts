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
  mutants: { watched: ['secrets', 'serviceaccounts'] },
};
