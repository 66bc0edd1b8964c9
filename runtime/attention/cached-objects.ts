import type { AnyKind, ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Informer } from '../informer/informer.ts';
import type { ObjectLink } from '../journal/attention-item.ts';
import type { Found, RuleFacts } from './rule.ts';

/** True if two kinds are the same resource, in whichever version. */
export const sameKind = (
  a: Pick<AnyKind, 'group' | 'plural'>,
  b: Pick<AnyKind, 'group' | 'plural'>,
): boolean => a.plural === b.plural && a.group === b.group;

/** Returns the address of a found object. */
export function linkOf({ kind, object }: Found, vocabulary: Vocabulary): ObjectLink {
  const { name = '', namespace } = object.metadata ?? {};
  return linkTo(vocabulary, kind, name, namespace);
}

function linkTo(vocabulary: Vocabulary, kind: AnyKind, name: string, namespace?: string): ObjectLink {
  return {
    group: vocabulary.group(kind.group),
    version: kind.version,
    plural: kind.plural,
    kind: kind.kind,
    ...(kind.namespaced && namespace !== undefined ? { namespace } : {}),
    name,
  };
}

/** Returns the name of an object for people, such as `Job team/report`. */
export const nameOf = ({ kind, namespace, name }: Omit<ObjectLink, 'group' | 'version' | 'plural'>): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** Creates the facts of rules over the filled caches among `informers`. */
export function factsOver(
  informers: readonly Informer<ApiObject>[],
  vocabulary: Vocabulary,
  nowMs: number,
): RuleFacts {
  const filled = informers.filter(({ synced }) => synced);
  const ofKind = (kind: Pick<AnyKind, 'group' | 'plural'>) =>
    filled.filter((each) => sameKind(each.kind, kind));
  const made = new Map<unknown, unknown>();
  const facts: RuleFacts = {
    vocabulary,
    nowMs,
    get<T extends ApiObject>(kind: Kind<T>, key: string) {
      for (const { store } of ofKind(kind as unknown as AnyKind)) {
        const object = store.get(key);
        // The cast is safe: the informer has the kind.
        if (object !== undefined) return object as DeepReadonly<T>;
      }
      return undefined;
    },
    list<T extends ApiObject>(kind: Kind<T>) {
      const [first] = ofKind(kind as unknown as AnyKind).toSorted((a, b) => b.store.size - a.store.size);
      return first && (first.store.list() as readonly DeepReadonly<T>[]);
    },
    search(namespace, test) {
      for (const { kind, store } of filled) {
        const object = kind.namespaced ? store.byIndex('namespace', namespace).find(test) : undefined;
        if (object !== undefined) return { kind: kind as unknown as AnyKind, object };
      }
      return undefined;
    },
    *all() {
      for (const { kind, store } of filled)
        for (const object of store.list()) yield { kind: kind as unknown as AnyKind, object };
    },
    once<T>(make: (facts: RuleFacts) => T): T {
      if (!made.has(make)) made.set(make, make(facts));
      // The cast is safe: the value was made by this function.
      return made.get(make) as T;
    },
    link: (found) => linkOf(found, vocabulary),
    linkTo: (kind, name, namespace) => linkTo(vocabulary, kind, name, namespace),
  };
  return facts;
}
