import { jobs } from '../../../api/groups/batch-v1.ts';
import { persistentVolumeClaims, persistentVolumes } from '../../../api/groups/core-v1-storage.ts';
import { namespaces, pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { controllerOf } from '../../../runtime/index.ts';
import { type LiveView, liveObject, liveObjects, resourceOf } from '../../invariants/invariant.ts';
import type { SearchedResources } from '../../controllers/twin.ts';

type Any = DeepReadonly<ApiObject>;

/** A finalizer of release 1.24, and the reason for which it holds an object. */
export interface Reason {
  readonly id: string;
  readonly says: string;
  /** Controller that removes the finalizer. */
  readonly controller: string;
  readonly finalizer: string;
  /** Resources whose objects may have it. */
  readonly resources: readonly string[];
  /** Returns the finalizers of an object; default those in its metadata. */
  readonly finalizersOf?: (object: Any) => readonly string[];
  /** True if the reason still exists. */
  readonly isNeeded: (object: Any, live: LiveView) => boolean;
}

const isEnding = ({ metadata }: Any): boolean => metadata?.deletionTimestamp !== undefined;

/** True if a dependent blocks the foreground deletion of an object. */
const isBlocked = (resources: readonly string[], { metadata }: Any, live: LiveView): boolean =>
  resources.some((resource) =>
    live
      .list(resource)
      .some((each) =>
        (each.metadata?.ownerReferences ?? []).some(
          ({ uid, blockOwnerDeletion }) => uid === metadata?.uid && blockOwnerDeletion === true,
        ),
      ),
  );

const ofPods = (vocabulary: Vocabulary): readonly Reason[] => [
  {
    // https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods
    id: 'held/pod-of-no-job',
    says: 'a pod without a Job is not held for being counted by one',
    controller: 'job',
    finalizer: vocabulary.key('batch', 'job-tracking'),
    resources: [resourceOf(pods)],
    isNeeded(pod, live) {
      const owner = controllerOf(pod);
      const { namespace = '' } = pod.metadata ?? {};
      return (
        owner !== undefined && liveObject(live, jobs, namespace, owner.name)?.metadata?.uid === owner.uid
      );
    },
  },
];

const ofOwners = (every: readonly string[]): readonly Reason[] => [
  {
    // https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion
    id: 'held/no-orphaning-owner',
    says: 'a deleted object is not held until its dependents are orphans, once they are',
    controller: 'garbagecollector',
    finalizer: 'orphan',
    resources: every,
    isNeeded: (object) => !isEnding(object),
  },
  {
    id: 'held/no-unblocked-owner',
    says: 'a deleted object is not held for dependents that no longer exist',
    controller: 'garbagecollector',
    finalizer: 'foregroundDeletion',
    resources: every,
    isNeeded: (object, live) => !isEnding(object) || isBlocked(every, object, live),
  },
];

const ofVolumes = (vocabulary: Vocabulary): readonly Reason[] => [
  {
    // https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
    id: 'held/no-unused-claim',
    says: 'a deleted PersistentVolumeClaim is not held for pods that no longer use it',
    controller: 'pvc-protection',
    finalizer: vocabulary.key('', 'pvc-protection'),
    resources: [resourceOf(persistentVolumeClaims)],
    isNeeded: (claim, live) =>
      !isEnding(claim) ||
      liveObjects(live, pods, claim.metadata?.namespace).some(({ spec }) =>
        (spec?.volumes ?? []).some(
          (volume) =>
            volume.persistentVolumeClaim?.claimName === claim.metadata?.name ||
            volume.ephemeral !== undefined,
        ),
      ),
  },
  {
    id: 'held/no-unbound-volume',
    says: 'a deleted PersistentVolume is not held without a claim',
    controller: 'pv-protection',
    finalizer: vocabulary.key('', 'pv-protection'),
    resources: [resourceOf(persistentVolumes)],
    isNeeded: (volume) =>
      !isEnding(volume) || (volume as { status?: { phase?: string } }).status?.phase === 'Bound',
  },
];

const ofNamespaces = (vocabulary: Vocabulary, namespaced: readonly string[]): readonly Reason[] => [
  {
    // https://kubernetes.io/docs/tasks/administer-cluster/namespaces/#deleting-a-namespace
    id: 'held/no-empty-namespace',
    says: 'a deleted namespace is not held without content',
    controller: 'namespace',
    finalizer: vocabulary.namespaceFinalizer,
    resources: [resourceOf(namespaces)],
    finalizersOf: (object) => (object as { spec?: { finalizers?: string[] } }).spec?.finalizers ?? [],
    isNeeded: (namespace, live) =>
      !isEnding(namespace) ||
      namespaced.some((resource) => live.list(resource, namespace.metadata?.name).length > 0),
  },
];

/** Returns the finalizers that the controllers of release 1.24 set, with their reasons. */
export const reasonsIn = (
  vocabulary: Vocabulary,
  { namespaced, cluster }: SearchedResources,
): readonly Reason[] => [
  ...ofPods(vocabulary),
  ...ofOwners([...namespaced, ...cluster]),
  ...ofVolumes(vocabulary),
  ...ofNamespaces(vocabulary, namespaced),
];
