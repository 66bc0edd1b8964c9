import { serviceAccounts as accounts } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import { serviceAccounts } from '../../workload/accounts.ts';
import { serviceAccountInvariants } from './invariants.ts';
import { serviceAccountScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `serviceaccount`. */
export const serviceAccountTwin: ControllerTwin = {
  name: 'serviceaccount',
  invariants: () => about([accounts], serviceAccountInvariants),
  rights: [{ resource: '/serviceaccounts', creates: true }],
  scenario: serviceAccountScenario,
  workload: [serviceAccounts],
  formerNumbers: {
    N1: 'no-create-in-ending-namespace',
    N2: 'no-account-changed',
    N3: 'only-listed-accounts',
    E1: 'every-namespace-has-accounts',
  },
  mutants: {
    watched: ['namespaces', 'serviceaccounts'],
    harmless: {
      '409-ignored': 'created objects are checked again after a while',
      'create-error-swallowed': 'created objects are checked again after a while',
      'clock-ahead': 'does not depend on time',
      'clock-behind': 'does not depend on time',
      'serviceaccounts-added-missed': 'a new account requires no work',
      'serviceaccounts-changed-missed': 'a changed account still exists; only a deleted one requires work',
      'namespaces-changed-missed': 'a namespace becomes active only when it is created',
    },
  },
};
