import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, deletes, oneByOne, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { NAMES, finalizes, namespaceOf } from '../../explore/scenarios/accounts.ts';
import { rootCaCertPublisherInvariants } from './invariants.ts';

/**
 * Returns a workload: namespaces that are deleted, and a published certificate that the user changes and
 * deletes.
 */
export function rootCaScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const name = vocabulary.rootCaConfigMap;
  return {
    controller: 'root-ca-cert-publisher',
    instants: [NOON],
    ...oneByOne(
      NAMES.slice(0, objects).map((each) => planted(namespaces, namespaceOf(vocabulary, each))),
      [
        updates(
          'the user changes the certificate',
          configMaps,
          'a',
          name,
          ({ metadata }) => ({
            metadata: { ...metadata, labels: { changes: `${metadata?.labels?.['changes'] ?? ''}+` } },
            data: { 'ca.crt': 'mine' },
          }),
          { times: 2 },
        ),
        deletes('the user deletes the certificate', configMaps, 'a', name),
        deletes('the user deletes the namespace', namespaces, '', 'a'),
        finalizes('a'),
        creates('the user recreates the namespace', namespaces, namespaceOf(vocabulary, 'a')),
      ],
    ),
    invariants: rootCaCertPublisherInvariants(vocabulary),
  };
}
