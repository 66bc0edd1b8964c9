import { nodes } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, deletes, oneByOne, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { ttlInvariants } from './invariants.ts';

/**
 * Returns a workload: nodes whose cache time the user sets and removes. One node is deleted and recreated.
 */
export function ttlScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const annotation = vocabulary.key('node.alpha', 'ttl');
  const node = (name: string) => ({ kind: 'Node', apiVersion: 'v1', metadata: { name } });
  const names = ['a', 'b', 'c'].slice(0, objects);
  return {
    controller: 'ttl',
    instants: [NOON],
    ...oneByOne(
      names.map((name) => planted(nodes, node(name))),
      [
        updates('the user sets the cache time to 15 s', nodes, '', 'a', ({ metadata }) => ({
          metadata: { ...metadata, annotations: { [annotation]: '15' } },
        })),
        updates('the user removes the cache time', nodes, '', 'a', ({ metadata }) => ({
          metadata: { ...metadata, annotations: {} },
        })),
        deletes('the user deletes the node', nodes, '', 'a'),
        creates('the user recreates the node', nodes, node('a')),
      ],
    ),
    invariants: ttlInvariants(vocabulary),
  };
}
