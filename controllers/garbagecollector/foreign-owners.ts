import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import type { EventRecorder, InformerHandler } from '../../runtime/index.ts';
import type { Followed } from './graph.ts';

type Any = DeepReadonly<ApiObject>;

/** Part of an object that an event needs. The complete object is not retained, because it may be large. */
interface Dependent {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Reference to an owner that no cache has received yet. */
interface Named {
  readonly followed: Followed;
  readonly dependent: Dependent;
  readonly reference: DeepReadonly<OwnerReference>;
}

/**
 * Maximum number of deleted dependents to remember. If their owner is observed later, an event must still
 * explain why they were deleted.
 */
const MAX_DELETED = 1_000;

/**
 * Reports owner references across namespaces, which are invalid: to an object in another namespace, or from a
 * cluster-scoped object to a namespaced object. Each reference is reported once, when the caches have
 * received both objects, in either order. The owner is identified by its uid alone. The message of the event
 * is that of release 1.24:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/garbagecollector/graph_builder.go
 */
export function reportForeignOwners(
  events: EventRecorder,
): (followed: Followed) => InformerHandler<ApiObject> {
  /** Namespaces of existing objects by uid; '' for a cluster-scoped object. */
  const places = new Map<string, string>();
  /** References without a known owner, by the uid of the owner and then of the dependent. */
  const unmet = new Map<string, Map<string, Named>>();
  const deleted = new Set<Named>();

  const forget = (owner: string, uid: string): void => {
    const named = unmet.get(owner);
    if (named?.delete(uid) && named.size === 0) unmet.delete(owner);
  };
  const keepDeleted = (named: Named): void => {
    deleted.add(named);
    if (deleted.size <= MAX_DELETED) return;
    for (const oldest of deleted) {
      deleted.delete(oldest);
      forget(oldest.reference.uid, oldest.dependent.uid);
      break;
    }
  };
  /** Handles the references to an object that were observed before the object. */
  const met = (owner: Any): void => {
    const named = unmet.get(uidOf(owner));
    if (named === undefined) return;
    unmet.delete(uidOf(owner));
    for (const each of named.values()) {
      deleted.delete(each);
      if (isForeign(placeOf(owner), each.dependent)) report(events, each);
    }
  };
  const name = (named: Named): void => {
    const { uid } = named.reference;
    const place = places.get(uid);
    if (place !== undefined) {
      if (isForeign(place, named.dependent)) report(events, named);
      return;
    }
    const others = unmet.get(uid) ?? new Map<string, Named>();
    unmet.set(uid, others.set(named.dependent.uid, named));
  };

  return (followed) => ({
    onApply(object, previous) {
      if (previous === undefined) {
        places.set(uidOf(object), placeOf(object));
        met(object);
      }
      const now = referencesOf(object);
      const before = referencesOf(previous);
      if (now === before) return;
      for (const [uid, reference] of now)
        if (!before.has(uid)) name({ followed, dependent: dependentOf(object), reference });
      for (const uid of before.keys()) if (!now.has(uid)) forget(uid, uidOf(object));
    },
    onDelete(object) {
      places.delete(uidOf(object));
      for (const owner of referencesOf(object).keys()) {
        const named = unmet.get(owner)?.get(uidOf(object));
        if (named !== undefined) keepDeleted(named);
      }
    },
  });
}

const uidOf = ({ metadata }: Any): string => metadata?.uid ?? '';
const placeOf = ({ metadata }: Any): string => metadata?.namespace ?? '';
/**
 * True if an owner in namespace `place` cannot own the dependent. A cluster-scoped owner (`place` is '') may
 * own objects in every namespace.
 */
const isForeign = (place: string, { namespace }: Dependent): boolean => place !== '' && place !== namespace;

const dependentOf = ({ metadata }: Any): Dependent => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
  uid: metadata?.uid ?? '',
});

type References = ReadonlyMap<string, DeepReadonly<OwnerReference>>;
const NONE: References = new Map();

/**
 * Returns an object's references by the uid of the owner. If several name the same owner, returns the first.
 */
function referencesOf(object: Any | undefined): References {
  const references = object?.metadata?.ownerReferences ?? [];
  return references.length === 0 ? NONE : new Map(references.toReversed().map((each) => [each.uid, each]));
}

function report(events: EventRecorder, { followed, dependent, reference }: Named): void {
  const { group, version, kind } = followed.resource;
  const { name, namespace, uid } = dependent;
  const { apiVersion, kind: ownerKind, name: owner, uid: ownerUid } = reference;
  events.record(
    {
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      metadata: { name, uid, ...(namespace === '' ? {} : { namespace }) },
    },
    'Warning',
    'OwnerRefInvalidNamespace',
    `ownerRef [${apiVersion}/${ownerKind}, namespace: ${namespace}, name: ${owner}, uid: ${ownerUid}] ` +
      `does not exist in namespace ${JSON.stringify(namespace)}`,
  );
}
