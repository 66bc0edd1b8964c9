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
import type { Scenario } from '../world.ts';

type Phase = 'Available' | 'Bound' | 'Released';

const NAMES = ['a', 'b', 'c'];

const namespaceOf = (name: string): string => `team-${name}`;

const blue = ({ metadata }: DeepReadonly<ApiObject>) => ({
  metadata: { ...metadata, labels: { team: 'blue' } },
});

const ofController = (vocabulary: Vocabulary, controller: string) =>
  protectionInvariants(vocabulary).filter((each) => each.controller === controller);

/** Volumes without their finalizer; one is bound and set free, deleted, and made anew. */
export function volumeScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const volume = (name: string): PersistentVolume => ({
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Available' },
  });
  const turns = (text: string, from: Phase, to: Phase) =>
    updates(
      text,
      persistentVolumes,
      '',
      'a',
      ({ status }) => (status?.phase === from ? { status: { phase: to } } : undefined),
      { subresource: 'status' },
    );
  const changes = [
    turns('the volume is bound', 'Available', 'Bound'),
    turns('the claim lets it go', 'Bound', 'Released'),
    deletes('the user deletes the volume', persistentVolumes, '', 'a'),
    creates('the user makes the volume anew', persistentVolumes, volume('a')),
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

/** Claims without their finalizer, which pods use that come to a node and go; one is deleted, and made anew. */
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
  const made = creates('a pod that uses it comes to a node', pods, pod('a'));
  const changes = [
    {
      ...made,
      // No scheduler takes a pod to a node whose claim is not there, or is being deleted.
      request: (...[objects, nowMs]: Parameters<typeof made.request>) => {
        const found = objects[storeKey(resourceOf(persistentVolumeClaims), namespaceOf('a'), 'a')];
        return found && !found.metadata?.deletionTimestamp ? made.request(objects, nowMs) : undefined;
      },
    },
    deletes('the pod goes', pods, namespaceOf('a'), 'user'),
    deletes('the user deletes the claim', persistentVolumeClaims, namespaceOf('a'), 'a'),
    creates('the user makes the claim anew', persistentVolumeClaims, claim('a')),
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

/** Claims that were made for a pod, which is shut down and stays for somebody's finalizer. */
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
            deletes(`the pod of ${namespace} goes`, pods, namespace, owner.name),
            deletes(`the claim of ${namespace} goes`, persistentVolumeClaims, namespace, `${owner.name}-v`),
          ],
        };
      }),
    ),
    invariants: ofController(vocabulary, 'pvc-protection'),
  };
}
