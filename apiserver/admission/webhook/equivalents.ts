import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  type Scheme,
  isVirtualSubresource,
  storedKindOf,
} from '../../../api/kinds/index.ts';
import { recode } from '../../../api/schema/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ObjectKind } from '../../request.ts';

/** Equivalent kinds: other versions of a group, and other groups that serve the same objects. */
export interface Equivalents {
  /** Returns all kinds that serve the same objects as `kind`, including `kind`. */
  of(kind: AnyKind): readonly AnyKind[];
  /**
   * Returns the kind of the objects that clients send to a subresource, or to the kind itself if
   * `subresource` is ''. Returns undefined if the subresource does not exist.
   */
  kindAt(kind: AnyKind, subresource: string): ObjectKind | undefined;
  /** Converts an object to another version. Rejects if a conversion webhook fails. */
  convert(object: DeepReadonly<ApiObject>, from: AnyKind, to: AnyKind): Promise<ApiObject>;
}

type Groups = ReadonlyMap<string, readonly AnyKind[]>;

const identityOf = (kind: AnyKind): string => {
  const { group, plural } = storedKindOf(kind);
  return `${group}/${plural}`;
};

function groupsOf(kinds: readonly AnyKind[]): Groups {
  const groups = new Map<string, AnyKind[]>();
  for (const kind of kinds) {
    const group = groups.get(identityOf(kind)) ?? [];
    group.push(kind);
    groups.set(identityOf(kind), group);
  }
  return groups;
}

/** Creates a view of the equivalent kinds among the served kinds. */
export function createEquivalents(served: Scheme, registry: Pick<Registry, 'converterOf'>): Equivalents {
  const { vocabulary } = served;
  let grouped: { readonly from: readonly AnyKind[]; readonly by: Groups } | undefined;
  const groups = (): Groups => {
    const { kinds } = served;
    if (grouped?.from !== kinds) grouped = { from: kinds, by: groupsOf(kinds) };
    return grouped.by;
  };
  const servedAs = (kind: AnyKind): ObjectKind => ({
    group: vocabulary.group(kind.group),
    version: kind.version,
    kind: kind.kind,
  });
  return {
    of: (kind) => groups().get(identityOf(kind)) ?? [kind],
    kindAt(kind, subresource) {
      if (subresource === '') return servedAs(kind);
      const { connections = {} } = kind;
      const connection = Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;
      if (connection) return { ...servedAs(kind), kind: connection.kind };
      const found = Object.hasOwn(kind.subresources, subresource)
        ? kind.subresources[subresource]
        : undefined;
      if (found === undefined) return undefined;
      if (!isVirtualSubresource(found)) return servedAs(kind);
      return { group: vocabulary.group(found.group), version: found.version, kind: found.kind };
    },
    async convert(object, from, to) {
      if (from === to) return object as ApiObject;
      const typeMeta = served.typeMetaOf(to);
      const convert = registry.converterOf(from);
      const [converted] = convert
        ? await convert([object], typeMeta.apiVersion)
        : [translated(object, from, to)];
      if (converted === undefined) throw new Error(`conversion to ${typeMeta.apiVersion} gave no object`);
      return recode<ApiObject>((to as unknown as Kind).schema, { ...converted, ...typeMeta }).value;
    },
  };

  function translated(object: DeepReadonly<ApiObject>, from: AnyKind, to: AnyKind): ApiObject {
    const context = { vocabulary };
    const stored: unknown = from.storage?.toStorage(object as DeepReadonly<never>, context) ?? object;
    return to.storage?.fromStorage(stored as DeepReadonly<never>, context) ?? (stored as ApiObject);
  }
}
