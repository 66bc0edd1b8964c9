import { persistentVolumeClaims, pods } from '../../../api/groups/index.ts';
import type { PersistentVolumeClaim } from '../../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { creates, deletes, inGroups, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import { storeKey, uidOf } from '../../explore/model-store.ts';
import type { Scenario } from '../../explore/scenario.ts';
import { relabels } from '../../explore/scenarios/relabels.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { pvcProtectionInvariants } from './invariants.ts';

const NAMES = ['a', 'b', 'c'];

const namespaceOf = (name: string): string => `team-${name}`;

/**
 * Returns a workload: claims without the finalizer. Pods that use them are scheduled and deleted; one claim
 * is deleted and recreated.
 */
export function claimScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const claim = (name: string): PersistentVolumeClaim => ({
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name, namespace: namespaceOf(name) },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Pending' },
  });
  const pod = (name: string): Pod => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'user', namespace: namespaceOf(name) },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
    },
    status: { phase: 'Running' },
  });
  const made = creates('a pod that uses it is scheduled', pods, pod('a'));
  const changes = [
    {
      ...made,
      // A scheduler does not place a pod whose claim is missing or being deleted.
      request: (...[objects, nowMs]: Parameters<typeof made.request>) => {
        const found = objects[storeKey(resourceOf(persistentVolumeClaims), namespaceOf('a'), 'a')];
        return found && !found.metadata?.deletionTimestamp ? made.request(objects, nowMs) : undefined;
      },
    },
    deletes('the pod is deleted', pods, namespaceOf('a'), 'user'),
    deletes('the user deletes the claim', persistentVolumeClaims, namespaceOf('a'), 'a'),
    creates('the user recreates the claim', persistentVolumeClaims, claim('a')),
    updates('the user labels the claim', persistentVolumeClaims, namespaceOf('a'), 'a', relabels),
  ];
  return {
    controller: 'pvc-protection',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [planted(persistentVolumeClaims, claim(name))],
        actions: at === 0 ? changes : [],
      })),
    ),
    invariants: pvcProtectionInvariants(vocabulary),
  };
}

/**
 * Returns a workload: claims that were created for a pod. The pod is deleted, but a foreign finalizer holds
 * it.
 */
export function ephemeralClaimScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'pvc-protection',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name) => {
        const namespace = namespaceOf(name);
        const owner = { name: `user-${name}`, uid: uidOf(resourceOf(pods), `user-${name}`, 1) };
        return {
          objects: [
            planted(pods, {
              kind: 'Pod',
              apiVersion: 'v1',
              metadata: { name: owner.name, namespace, finalizers: ['example.com/hold'] },
              spec: {
                nodeName: 'n',
                containers: [{ name: 'c', image: 'i' }],
                volumes: [{ name: 'v', ephemeral: {} }],
              },
              status: { phase: 'Running' },
            }),
            planted(persistentVolumeClaims, {
              kind: 'PersistentVolumeClaim',
              apiVersion: 'v1',
              metadata: {
                name: `${owner.name}-v`,
                namespace,
                ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...owner, controller: true }],
              },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              status: { phase: 'Pending' },
            }),
          ],
          actions: [
            deletes(`the pod of ${namespace} is deleted`, pods, namespace, owner.name),
            deletes(
              `the claim of ${namespace} is deleted`,
              persistentVolumeClaims,
              namespace,
              `${owner.name}-v`,
            ),
          ],
        };
      }),
    ),
    invariants: pvcProtectionInvariants(vocabulary),
  };
}
