import { configMaps } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import { serviceAccounts } from '../../workload/accounts.ts';
import { rootCaCertPublisherInvariants } from './invariants.ts';
import { rootCaScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `root-ca-cert-publisher`. */
export const rootCaCertPublisherTwin: ControllerTwin = {
  name: 'root-ca-cert-publisher',
  invariants: ({ vocabulary }) => about([configMaps], rootCaCertPublisherInvariants(vocabulary)),
  rights: [{ resource: '/configmaps', creates: true, fields: ['data', 'metadata.annotations'] }],
  scenario: rootCaScenario,
  workload: [serviceAccounts],
  formerNumbers: {
    N1: 'no-create-in-ending-namespace',
    N2: 'only-own-configmap',
    E1: 'same-certificate-everywhere',
  },
  mutants: {
    watched: ['configmaps', 'namespaces'],
    harmless: {
      'namespaces-changed-missed': 'a namespace becomes active only when it is created',
      'create-error-swallowed': 'created objects are checked again after a while',
      'configmaps-added-missed':
        'a foreign ConfigMap follows a new namespace or a deletion, which enqueue the key; the refused creation is retried',
    },
  },
};
