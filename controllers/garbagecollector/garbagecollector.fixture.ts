import { configMaps } from '../../api/groups/core-v1.ts';
import { type ApiObject, type DeepReadonly } from '../../api/kinds/kind.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Owner object, or a complete owner reference. */
export type Owner = DeepReadonly<ApiObject> | OwnerReference;

/** Returns a reference to a ConfigMap, or a given reference unchanged. */
export const referenceTo = (owner: Owner, block = false): OwnerReference =>
  'uid' in owner
    ? owner
    : {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner.metadata?.name ?? '',
        uid: owner.metadata?.uid ?? '',
        ...(block ? { blockOwnerDeletion: true } : {}),
      };

/** Starts a world with the garbage collector and with functions for the ConfigMaps of a namespace. */
export async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['garbagecollector'], ...options });
  const { client } = world;
  const maps = (namespace = 'team') => client.namespaced(configMaps, namespace);
  const make = (
    name: string,
    owners: readonly Owner[] = [],
    { block = false, namespace = 'team', finalizers = [] as string[] } = {},
  ) =>
    maps(namespace).create({
      metadata: {
        name,
        ...(finalizers.length > 0 ? { finalizers } : {}),
        ...(owners.length > 0 ? { ownerReferences: owners.map((owner) => referenceTo(owner, block)) } : {}),
      },
    });
  return {
    ...world,
    maps,
    make,
    names: async (namespace = 'team') =>
      (await maps(namespace).list()).items.map(({ metadata }) => metadata?.name ?? '').sort(),
    ownersOf: async (name: string) =>
      ((await maps().get(name)).metadata?.ownerReferences ?? []).map((owner) => owner.name),
  };
}
