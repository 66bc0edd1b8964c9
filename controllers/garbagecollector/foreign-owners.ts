import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import type { EventRecorder, InformerHandler } from '../../runtime/index.ts';
import type { Followed } from './graph.ts';

type Any = DeepReadonly<ApiObject>;

/** Of an object no more than an event says of it: what is kept may have gone, and may have been large. */
interface Dependent {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** A reference whose owner no cache has shown yet. */
interface Named {
  readonly followed: Followed;
  readonly dependent: Dependent;
  readonly reference: DeepReadonly<OwnerReference>;
}

/** Objects that have gone and are still told of, should their owner come to light: it was their deletion's reason. */
const GONE = 1_000;

/**
 * Tells whoever made a reference to an object in another namespace, or in one for an object in none, that it is none: once
 * for each, when caches have shown both, whichever came first. By the uid alone, in upstream's words (release 1.24).
 */
export function tellForeignOwners(events: EventRecorder): (followed: Followed) => InformerHandler<ApiObject> {
  /** The namespaces of the objects there are, by uid; '' of those in none. */
  const places = new Map<string, string>();
  /** By the owner's uid, then the dependent's. */
  const unmet = new Map<string, Map<string, Named>>();
  const gone = new Set<Named>();

  const forget = (owner: string, uid: string): void => {
    const named = unmet.get(owner);
    if (named?.delete(uid) && named.size === 0) unmet.delete(owner);
  };
  const keepGone = (named: Named): void => {
    gone.add(named);
    if (gone.size <= GONE) return;
    for (const oldest of gone) {
      gone.delete(oldest);
      forget(oldest.reference.uid, oldest.dependent.uid);
      break;
    }
  };
  /** All that named the object before it was seen. */
  const met = (owner: Any): void => {
    const named = unmet.get(uidOf(owner));
    if (named === undefined) return;
    unmet.delete(uidOf(owner));
    for (const each of named.values()) {
      gone.delete(each);
      if (isForeign(placeOf(owner), each.dependent)) tell(events, each);
    }
  };
  const name = (named: Named): void => {
    const { uid } = named.reference;
    const place = places.get(uid);
    if (place !== undefined) {
      if (isForeign(place, named.dependent)) tell(events, named);
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
        if (named !== undefined) keepGone(named);
      }
    },
  });
}

const uidOf = ({ metadata }: Any): string => metadata?.uid ?? '';
const placeOf = ({ metadata }: Any): string => metadata?.namespace ?? '';
/** An owner in no namespace owns in every one. */
const isForeign = (place: string, { namespace }: Dependent): boolean => place !== '' && place !== namespace;

const dependentOf = ({ metadata }: Any): Dependent => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
  uid: metadata?.uid ?? '',
});

type References = ReadonlyMap<string, DeepReadonly<OwnerReference>>;
const NONE: References = new Map();

/** By the owner's uid; of several to one owner the first. */
function referencesOf(object: Any | undefined): References {
  const references = object?.metadata?.ownerReferences ?? [];
  return references.length === 0 ? NONE : new Map(references.toReversed().map((each) => [each.uid, each]));
}

function tell(events: EventRecorder, { followed, dependent, reference }: Named): void {
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
