import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { type Client, kindOf } from '../../runtime/index.ts';
import { type Graph, isWaiting } from './graph.ts';

/**
 * State of an owner:
 * - `solid`: it exists, or nothing proves that it does not exist.
 * - `unseen`: it exists, but the cache lacks it, so its deletion may send no event.
 * - `dangling`: according to the API, no object with this uid exists.
 * - `waiting`: it exists and waits for its dependents to be deleted.
 */
export type OwnerState = 'solid' | 'unseen' | 'dangling' | 'waiting';

/**
 * Maximum number of dangling references to remember. A dangling reference never becomes valid, because a uid
 * is never reused.
 */
const REMEMBERED = 10_000;

/**
 * True if the server reports that the object `name` does not exist. A 404 for a path that is not served
 * proves nothing about the object.
 */
const isAbsence = (thrown: unknown, name: string): boolean =>
  isNotFound(thrown) && thrown.status.details?.name === name;

/**
 * Creates a function that returns the state of an owner. If the cache lacks the owner, the function reads the
 * API.
 */
export function createOwners(client: Client, graph: Graph) {
  const absent = new Set<string>();
  /** Last read in progress for each reference. */
  const reads = new Map<string, Promise<OwnerState>>();
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
    // The key is the complete reference: an invalid reference proves nothing about a valid reference to the
    // same uid.
    const reference = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    if (absent.has(reference)) return 'dangling';
    const resource = graph.ownerResource(apiVersion, kind);
    // An unknown kind, or a namespaced owner of a cluster-scoped object, cannot be read, so its absence is
    // not proved.
    if (!resource || (resource.namespaced && namespace === '')) return 'solid';
    const ownerKind = kindOf(client, resource);
    const owners = resource.namespaced ? client.namespaced(ownerKind, namespace) : client.cluster(ownerKind);
    const read = async (): Promise<OwnerState> => {
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
    // The result of an earlier read is only reused if it is 'dangling': an owner that existed then may have
    // been deleted since.
    const earlier = reads.get(reference)?.catch(() => undefined);
    if (earlier !== undefined && (await earlier) === 'dangling') return 'dangling';
    const own = read().finally(() => reads.get(reference) === own && reads.delete(reference));
    reads.set(reference, own);
    return own;
  };
}
