import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { type Client, kindOf } from '../../runtime/index.ts';
import { type Graph, isWaiting } from './graph.ts';

/**
 * `solid`: the owner exists, or nothing proves that it does not. `dangling`: the API itself says that no object of that
 * uid is there. `waiting`: it exists and waits for its dependents to go.
 */
export type OwnerState = 'solid' | 'dangling' | 'waiting';

/** References that are known to lead nowhere are remembered, up to this many: a uid never comes back. */
const REMEMBERED = 10_000;

/** Tells the state of owners. A cache that does not know an owner proves nothing: the API is asked. */
export function createOwners(client: Client, graph: Graph) {
  const absent = new Set<string>();
  const remember = (reference: string): void => {
    if (absent.size >= REMEMBERED) for (const oldest of absent) if (absent.delete(oldest)) break;
    absent.add(reference);
  };

  return async (
    { apiVersion, kind, name, uid }: DeepReadonly<OwnerReference>,
    namespace: string,
    signal: AbortSignal,
  ): Promise<OwnerState> => {
    // The whole reference: a wrong one, or one out of another namespace, says nothing about the right ones to that uid.
    const reference = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    if (absent.has(reference)) return 'dangling';
    const resource = graph.ownerResource(apiVersion, kind);
    // Unknown kinds, and namespaced owners of cluster-scoped objects, cannot be looked up: no proof of absence.
    if (!resource || (resource.namespaced && namespace === '')) return 'solid';
    const ownerKind = kindOf(client, resource);
    const owners = resource.namespaced ? client.namespaced(ownerKind, namespace) : client.cluster(ownerKind);
    try {
      const owner = await owners.get(name, { signal });
      if (owner.metadata?.uid === uid) return isWaiting(owner) ? 'waiting' : 'solid';
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
    remember(reference);
    return 'dangling';
  };
}
