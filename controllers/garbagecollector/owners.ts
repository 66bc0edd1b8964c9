import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { type Client, kindOf } from '../../runtime/index.ts';
import { type Graph, isWaiting } from './graph.ts';

/**
 * State of an owner:
 * - `solid`: it exists, or nothing proves that it does not.
 * - `unseen`: it exists, but the cache does not show it, so its deletion may send no event.
 * - `dangling`: according to the API, no object with this uid exists.
 * - `waiting`: it exists and waits for its dependents to be deleted.
 */
export type OwnerState = 'solid' | 'unseen' | 'dangling' | 'waiting';

/** Number of dangling references to remember. They never become valid, because a uid is never reused. */
const REMEMBERED = 10_000;

/** True if the server reports that the named object does not exist. A path that is not served proves nothing about it. */
const isAbsence = (thrown: unknown, name: string): boolean =>
  isNotFound(thrown) && thrown.status.details?.name === name;

/** Creates the function that returns the state of an owner. If the cache does not show it, the API is read. */
export function createOwners(client: Client, graph: Graph) {
  const absent = new Set<string>();
  /** Reads in progress: the latest one of each reference. */
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
    // The whole reference: an invalid one proves nothing about valid references to the same uid.
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
    // A read that began earlier is only reused for 'dangling': an owner that existed then may have been deleted since.
    const asked = asking.get(reference)?.catch(() => undefined);
    if (asked !== undefined && (await asked) === 'dangling') return 'dangling';
    const own = ask().finally(() => asking.get(reference) === own && asking.delete(reference));
    asking.set(reference, own);
    return own;
  };
}
