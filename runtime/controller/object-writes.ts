import { type ApiObject, type DeepReadonly, type Kind, splitKey } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { Client, DeleteOptions, ResourceClient } from '../client/client.ts';
import type { OwnWrites } from './own-writes.ts';

/** Identity and version of the object that a decision was based on. Plain JSON, for a machine's context. */
export interface Target {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Returns the target of a stored object. Throws if it has no name, uid or resourceVersion. */
export function targetOf(object: DeepReadonly<ApiObject>): Target {
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {};
  if (!name || !uid || !resourceVersion)
    throw new TypeError(
      'an object without name, uid or resourceVersion was never stored and cannot be a target',
    );
  return { key: namespace ? `${namespace}/${name}` : name, uid, resourceVersion };
}

/**
 * Writes to objects of one kind, each with the uid and resourceVersion on which its decision is based. If the
 * object has changed or was replaced since, the server rejects the write with a conflict. The reconcile then
 * fails and its retry decides again.
 *
 * A write sends only the changed fields, so a cache with stripped fields never removes a field. Each write
 * returns the new state, or undefined if the object no longer exists; other errors are thrown.
 */
export interface ObjectWrites<T extends ApiObject> {
  /** Applies a JSON merge patch (RFC 7386): a list is replaced as a whole, null removes a field. */
  patch(target: Target, patch: object, signal: AbortSignal): Promise<DeepReadonly<T> | undefined>;
  /** Merges `status` into the object's status through the subresource. */
  patchStatus(target: Target, status: object, signal: AbortSignal): Promise<DeepReadonly<T> | undefined>;
  /** Replaces the finalizers. `withFinalizer` and `withoutFinalizer` compute the new list. */
  setFinalizers(
    target: Target,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<DeepReadonly<T> | undefined>;
  /** Deletes the object. Succeeds if the object no longer exists. */
  delete(
    target: Target,
    options: Omit<DeleteOptions, 'preconditions'> & { readonly signal: AbortSignal },
  ): Promise<void>;
}

/**
 * Creates writes to objects of `kind`.
 * @param own records each write for later reads; undefined if no read needs it
 */
export function createObjectWrites<T extends ApiObject>(
  client: Client,
  kind: Kind<T>,
  own?: OwnWrites<T>,
): ObjectWrites<T> {
  const at = (target: Target): { objects: ResourceClient<T>; name: string } => {
    const { namespace, name } = splitKey(target.key);
    return { objects: kind.namespaced ? client.namespaced(kind, namespace) : client.cluster(kind), name };
  };
  const fenced = ({ uid, resourceVersion }: Target, patch: object) => {
    const metadata = 'metadata' in patch && typeof patch.metadata === 'object' ? patch.metadata : {};
    return { ...patch, metadata: { ...metadata, uid, resourceVersion } };
  };
  const noted = async (
    { key, resourceVersion }: Target,
    work: Promise<DeepReadonly<T>>,
  ): Promise<DeepReadonly<T> | undefined> => {
    const written = await unlessGone(work);
    if (written !== undefined) own?.note(key, resourceVersion, written);
    return written;
  };
  const patch: ObjectWrites<T>['patch'] = (target, change, signal) => {
    const { objects, name } = at(target);
    return noted(target, objects.patch(name, 'merge', fenced(target, change), { signal }));
  };
  return {
    patch,
    patchStatus: (target, status, signal) => {
      const { objects, name } = at(target);
      const change = fenced(target, { status });
      return noted(target, objects.subresource('status').patch(name, 'merge', change, { signal }));
    },
    setFinalizers: (target, finalizers, signal) => patch(target, { metadata: { finalizers } }, signal),
    delete: async (target, options) => {
      const { objects, name } = at(target);
      const { uid, resourceVersion } = target;
      await unlessGone(objects.delete(name, { ...options, preconditions: { uid, resourceVersion } }));
    },
  };
}

const unlessGone = <R>(work: Promise<R>): Promise<R | undefined> =>
  work.catch((thrown: unknown) => {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  });
