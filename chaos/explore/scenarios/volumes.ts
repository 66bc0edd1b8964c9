import { persistentVolumeClaims, persistentVolumes, pods } from '../../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { protectionInvariants } from '../../invariants/protection.ts';
import { creates, deletes, inGroups, planted, updates } from '../actions.ts';
import { NOON } from '../instants.ts';
import { storeKey, uidOf } from '../model-store.ts';
import type { Scenario } from '../scenario.ts';

type Phase = 'Available' | 'Bound' | 'Released';

const NAMES = ['a', 'b', 'c'];

const namespaceOf = (name: string): string => `team-${name}`;

const blue = ({ metadata }: DeepReadonly<ApiObject>) => ({
  metadata: { ...metadata, labels: { team: 'blue' } },
});

const ofController = (vocabulary: Vocabulary, controller: string) =>
  protectionInvariants(vocabulary).filter((each) => each.controller === controller);

/** Workload: volumes without finalizer, one of which is bound, released, deleted and recreated. */
export function volumeScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const volume = (name: string): PersistentVolume => ({
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Available' },
  });
  const becomes = (text: string, from: Phase, to: Phase) =>
    updates(
      text,
      persistentVolumes,
      '',
      'a',
      ({ status }) => (status?.phase === from ? { status: { phase: to } } : undefined),
      { subresource: 'status' },
    );
  const changes = [
    becomes('the volume is bound', 'Available', 'Bound'),
    becomes('the claim releases it', 'Bound', 'Released'),
    deletes('the user deletes the volume', persistentVolumes, '', 'a'),
    creates('the user recreates the volume', persistentVolumes, volume('a')),
    updates('the user labels the volume', persistentVolumes, '', 'a', blue),
  ];
  return {
    controller: 'pv-protection',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [planted(persistentVolumes, volume(name))],
        actions: at === 0 ? changes : [],
      })),
    ),
    invariants: ofController(vocabulary, 'pv-protection'),
  };
}

/**
 * Workload: claims without finalizer, used by pods that are scheduled and deleted; one claim is deleted and
 * recreated.
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
    updates('the user labels the claim', persistentVolumeClaims, namespaceOf('a'), 'a', blue),
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
    invariants: ofController(vocabulary, 'pvc-protection'),
  };
}

/** Workload: claims that were created for a pod, which is deleted but kept by a foreign finalizer. */
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
    invariants: ofController(vocabulary, 'pvc-protection'),
  };
}
