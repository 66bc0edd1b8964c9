import { configMaps } from '../../../api/groups/core-v1.ts';
import type { ConfigMap } from '../../../api/types/core-v1.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { garbageCollectorInvariants } from '../../invariants/garbagecollector.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { creates, deletes, planted, updates } from '../actions.ts';
import { NOON } from '../instants.ts';
import { storeKey, uidOf } from '../model-store.ts';
import type { Action, Scenario } from '../world.ts';
import { discoveryOf } from './discovery.ts';

const namespace = 'team';
const resource = resourceOf(configMaps);

/** An owner that is deleted in each of the three ways and made anew; dependents that gain another owner. */
export function garbageCollectorScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const reference = (name: string, nth = 1): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: uidOf(resource, name, nth),
    blockOwnerDeletion: true,
  });
  const configMap = (name: string, owners: readonly OwnerReference[] = []): ConfigMap => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace, ...(owners.length > 0 ? { ownerReferences: [...owners] } : {}) },
  });
  /** Who adds references to an owner that is on its way out is too late, as with the real system. */
  const adoption = updates(
    'the user gives the dependent to another owner',
    configMaps,
    namespace,
    'x',
    ({ metadata }) =>
      metadata && !metadata.deletionTimestamp
        ? { metadata: { ...metadata, ownerReferences: [reference('owner', 2)] } }
        : undefined,
  );
  const adopt: Action = {
    ...adoption,
    requests: (objects, nowMs) => {
      const owner = objects[storeKey(resource, namespace, 'owner')]?.metadata;
      const isFit = owner?.uid === uidOf(resource, 'owner', 2) && owner.deletionTimestamp === undefined;
      return isFit ? adoption.requests(objects, nowMs) : undefined;
    },
  };
  const dependents = ['x', 'y'].slice(0, Math.max(1, objects - 1));
  return {
    controller: 'garbagecollector',
    objects: [configMap('owner'), ...dependents.map((name) => configMap(name, [reference('owner')]))].map(
      (each) => planted(configMaps, each),
    ),
    instants: [NOON],
    actions: [
      ...(['Background', 'Foreground', 'Orphan'] as const).map((propagationPolicy) =>
        deletes(`the user deletes the owner (${propagationPolicy})`, configMaps, namespace, 'owner', {
          propagationPolicy,
        }),
      ),
      creates('the user makes the owner anew', configMaps, configMap('owner')),
      adopt,
    ],
    documents: discoveryOf(vocabulary, [configMaps]),
    invariants: garbageCollectorInvariants([resource]),
  };
}
