import { namespaces, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, deletes, oneByOne, planted } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { NAMES, finalizes, namespaceOf } from '../../explore/scenarios/accounts.ts';
import { serviceAccountInvariants } from './invariants.ts';

/** Returns a workload: namespaces that are deleted and recreated, and a ServiceAccount that is deleted. */
export function serviceAccountScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'serviceaccount',
    instants: [NOON],
    ...oneByOne(
      NAMES.slice(0, objects).map((name) => planted(namespaces, namespaceOf(vocabulary, name))),
      [
        deletes('the user deletes the account', serviceAccounts, 'a', 'default'),
        deletes('the user deletes the namespace', namespaces, '', 'a'),
        finalizes('a'),
        creates('the user recreates the namespace', namespaces, namespaceOf(vocabulary, 'a')),
      ],
    ),
    invariants: serviceAccountInvariants,
  };
}
