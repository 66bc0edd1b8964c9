import { nodes } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import type { ControllerTwin } from '../twin.ts';
import { ttlInvariants } from './invariants.ts';
import { ttlScenario } from './scenarios.ts';
import { nodes as nodesPart } from './workload.ts';

/** Twin of the controller `ttl`. */
export const ttlTwin: ControllerTwin = {
  name: 'ttl',
  invariants: ({ vocabulary }) => about([nodes], ttlInvariants(vocabulary)),
  rights: [{ resource: '/nodes', fields: ['metadata.annotations'] }],
  scenario: ttlScenario,
  workload: [nodesPart],
  mutants: {
    watched: ['nodes'],
    harmless: {
      'no-preconditions': 'the value does not depend on the rest of the node',
      'no-version': 'the value does not depend on the rest of the node',
    },
  },
};
