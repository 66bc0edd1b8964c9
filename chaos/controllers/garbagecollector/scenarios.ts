import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { ConfigMap, Secret } from '../../../api/types/core-v1.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { garbageCollectorInvariants } from './invariants.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { creates, deletes, inGroups, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import { storeKey, uidOf } from '../../explore/model-store.ts';
import type { Action, Group, Planted, Scenario } from '../../explore/scenario.ts';
import { discoveryOf } from '../../explore/scenarios/discovery.ts';

const namespace = 'team';
const resource = resourceOf(configMaps);

/**
 * Returns a workload: an owner that is deleted under each policy and recreated, and a dependent that gets a
 * new owner.
 */
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
  /**
   * Returns the adoption of a dependent by an owner that is not being deleted. Otherwise the reference would
   * be too late, as in Kubernetes.
   */
  const adoption = updates(
    'the user sets a new owner of the dependent',
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
    request: (objects, nowMs) => {
      const owner = objects[storeKey(resource, namespace, 'owner')]?.metadata;
      const isFit = owner?.uid === uidOf(resource, 'owner', 2) && owner.deletionTimestamp === undefined;
      return isFit ? adoption.request(objects, nowMs) : undefined;
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
      creates('the user recreates the owner', configMaps, configMap('owner')),
      adopt,
    ],
    documents: discoveryOf(vocabulary, [configMaps]),
    invariants: garbageCollectorInvariants([resource]),
  };
}

/**
 * Returns a workload: Secrets that own ConfigMaps. A watcher of both kinds may see the dependent before the
 * owner, or never see the owner.
 *
 * Foreground deletion is omitted, because it depends on the watches
 * (`garbagecollector/no-early-foreground-release`).
 */
export function otherKindsScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const kinds = [configMaps, secrets];
  return {
    controller: 'garbagecollector',
    instants: [NOON],
    ...inGroups(['a', 'b', 'c'].slice(0, objects).map(ownedBySecret)),
    documents: discoveryOf(vocabulary, kinds),
    invariants: garbageCollectorInvariants(kinds.map(resourceOf)),
  };
}

/**
 * Returns a workload: two objects that own each other, one of which is deleted in the foreground; and an
 * object with two owners, one of which is deleted.
 */
export function sharedOwnersScenario(vocabulary: Vocabulary): Scenario {
  const owned = (name: string, ...owners: readonly string[]): Planted =>
    planted(configMaps, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace,
        ownerReferences: owners.map((owner) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: owner,
          uid: uidOf(resource, owner, 1),
          blockOwnerDeletion: true,
        })),
      },
    });
  return {
    controller: 'garbagecollector',
    instants: [NOON],
    ...inGroups([
      {
        objects: [owned('one', 'other'), owned('other', 'one')],
        actions: [
          deletes('the user deletes one of the two (Foreground)', configMaps, namespace, 'one', {
            propagationPolicy: 'Foreground',
          }),
        ],
      },
      {
        objects: [owned('first'), owned('second'), owned('shared', 'first', 'second')],
        actions: [
          deletes('the user deletes the first owner', configMaps, namespace, 'first', {
            propagationPolicy: 'Background',
          }),
        ],
      },
    ]),
    documents: discoveryOf(vocabulary, [configMaps]),
    invariants: garbageCollectorInvariants([resource]),
  };
}

/** Returns a Secret that is created and deleted, and a ConfigMap that the Secret owns. */
function ownedBySecret(name: string): Group {
  const keeper: Secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name, namespace } };
  const uid = uidOf(resourceOf(secrets), name, 1);
  const creation = creates('the user creates the dependent of the Secret', configMaps, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name, uid }] },
  });
  return {
    objects: [],
    actions: [
      creates('the user creates a Secret', secrets, keeper),
      {
        ...creation,
        request: (objects, nowMs) =>
          objects[storeKey(resourceOf(secrets), namespace, name)] && creation.request(objects, nowMs),
      },
      deletes('the user deletes the Secret', secrets, namespace, name),
    ],
  };
}
