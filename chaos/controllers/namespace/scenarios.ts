import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import type { ConfigMap } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { namespaceInvariants } from './invariants.ts';
import { creates, deletes, inGroups, planted, updates } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { namespaceOf } from '../../explore/scenarios/accounts.ts';
import { discoveryOf } from '../../explore/scenarios/discovery.ts';

/**
 * Returns a workload: namespaces that are deleted while objects are created in them. One object has a foreign
 * finalizer.
 */
export function namespaceScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const configMap = (name: string, finalizers: readonly string[] = []): ConfigMap => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'a', ...(finalizers.length > 0 ? { finalizers: [...finalizers] } : {}) },
  });
  const changes = [
    deletes('the user deletes the namespace', namespaces, '', 'a'),
    creates('the user creates an object in it', configMaps, configMap('new')),
    updates(
      'the object is released',
      configMaps,
      'a',
      'held',
      ({ metadata }) =>
        metadata?.finalizers?.length ? { metadata: { ...metadata, finalizers: [] } } : undefined,
      { progress: true },
    ),
    creates('the user recreates the namespace', namespaces, namespaceOf(vocabulary, 'a')),
  ];
  return {
    controller: 'namespace',
    instants: [NOON, NOON + MINUTE],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name, at) => ({
        objects: [
          planted(namespaces, namespaceOf(vocabulary, name)),
          ...(at === 0 ? [planted(configMaps, configMap('held', ['example.com/hold']))] : []),
        ],
        actions: at === 0 ? changes : [],
      })),
    ),
    documents: discoveryOf(vocabulary, [configMaps, namespaces]),
    invariants: namespaceInvariants(vocabulary, [resourceOf(configMaps)]),
  };
}

/** Returns a workload: namespaces that get a label while they terminate. */
export function labelledNamespaceScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = ['a', 'b', 'c'].slice(0, objects);
  return {
    controller: 'namespace',
    instants: [NOON],
    ...inGroups(
      names.map((name) => ({
        objects: [planted(namespaces, namespaceOf(vocabulary, name))],
        actions: [
          deletes(`the user deletes ${name}`, namespaces, '', name),
          updates(`the user labels ${name}`, namespaces, '', name, ({ metadata }) => ({
            metadata: { ...metadata, labels: { team: 'blue' } },
          })),
        ],
      })),
    ),
    documents: discoveryOf(vocabulary, [configMaps, namespaces]),
    invariants: namespaceInvariants(vocabulary, [resourceOf(configMaps)]),
  };
}
