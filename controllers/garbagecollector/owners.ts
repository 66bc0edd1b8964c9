import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { type Client, kindOf } from '../../runtime/index.ts';
import { type Graph, isWaiting } from './graph.ts';

/**
 * `solid`: the owner exists, or nothing proves that it does not. `unseen`: it exists, and the cache that would tell of its
 * end does not show it. `dangling`: the API itself says that no object of that uid is there. `waiting`: it exists and waits
 * for its dependents to go.
 */
export type OwnerState = 'solid' | 'unseen' | 'dangling' | 'waiting';

/** References that are known to lead nowhere are remembered, up to this many: a uid never comes back. */
const REMEMBERED = 10_000;

/** That a path is not served, or that whoever serves it does not know it yet, says nothing of the object. */
const isAbsence = (thrown: unknown, name: string): boolean =>
  isNotFound(thrown) && thrown.status.details?.name === name;

/** Tells the state of owners. A cache that does not show an owner proves nothing: the API is asked. */
export function createOwners(client: Client, graph: Graph) {
  const absent = new Set<string>();
  /** Questions under way, the latest of each reference. */
  const asking = new Map<string, Promise<OwnerState>>();
  const remember = (reference: string): void => {
    if (absent.size >= REMEMBERED) for (const oldest of absent) if (absent.delete(oldest)) break;
    absent.add(reference);
  };

  return async (
    owner: DeepReadonly<OwnerReference>,
    namespace: string,
    signal: AbortSignal,
  ): Promise<OwnerState> => {
    if (graph.showsSolid(owner, namespace)) return 'solid';
    const { apiVersion, kind, name, uid } = owner;
    // The whole reference: a wrong one, or one out of another namespace, says nothing about the right ones to that uid.
    const reference = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    if (absent.has(reference)) return 'dangling';
    const resource = graph.ownerResource(apiVersion, kind);
    // Unknown kinds, and namespaced owners of cluster-scoped objects, cannot be looked up: no proof of absence.
    if (!resource || (resource.namespaced && namespace === '')) return 'solid';
    const ownerKind = kindOf(client, resource);
    const owners = resource.namespaced ? client.namespaced(ownerKind, namespace) : client.cluster(ownerKind);
    const ask = async (): Promise<OwnerState> => {
      try {
        const found = await owners.get(name, { signal });
        if (found.metadata?.uid === uid)
          return isWaiting(found) ? 'waiting' : graph.follows(resource) ? 'unseen' : 'solid';
      } catch (thrown) {
        if (!isAbsence(thrown, name)) throw thrown;
      }
      remember(reference);
      return 'dangling';
    };
    // What was gone stays gone; what was there when somebody else began to ask may be gone since.
    const asked = asking.get(reference)?.catch(() => undefined);
    if (asked !== undefined && (await asked) === 'dangling') return 'dangling';
    const own = ask().finally(() => asking.get(reference) === own && asking.delete(reference));
    asking.set(reference, own);
    return own;
  };
}
