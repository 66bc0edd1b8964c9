import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { PatchMediaType, WriteContext } from '../registry.ts';

/** The object that a write addresses. */
export interface WriteTarget {
  /** '' for cluster-scoped kinds. */
  readonly namespace: string;
  /** '' if the body contains the name, or requests a generated one. */
  readonly name: string;
  /** '' for the object itself, else the name of an `ObjectSubresource`. */
  readonly subresource: string;
}

/** POST to a collection. `body` is parsed JSON, not yet decoded; it is consumed. */
export interface CreateIntent {
  readonly verb: 'create';
  readonly namespace: string;
  readonly body: unknown;
}

/** PUT of an object or one of its subresources. `body` is parsed JSON, not yet decoded; it is consumed. */
export interface UpdateIntent extends WriteTarget {
  readonly verb: 'update';
  readonly body: unknown;
}

/** PATCH of an object or one of its subresources, server-side apply included. */
export interface PatchIntent extends WriteTarget {
  readonly verb: 'patch';
  readonly type: PatchMediaType;
  readonly patch: unknown;
}

/** A write that results in an object, as data. Who writes, and with which options, is in the `WriteContext`. */
export type WriteIntent = CreateIntent | UpdateIntent | PatchIntent;

/** A decoded intent: how to get from the stored object to the object the client wants. */
export interface Change extends WriteTarget {
  /**
   * State of the name that the write accepts:
   *
   * - `absent`: 409 if it is taken
   * - `present`: 404 if there is no object
   * - `either`: the object is created if it does not exist
   */
  readonly accepts: 'absent' | 'present' | 'either';
  /**
   * Returns the wanted object without defaults; `previous` is undefined if the write creates it. Its only
   * effects are warnings. It is called again for each attempt, and the caller may modify the result.
   */
  readonly apply: (previous: DeepReadonly<ApiObject> | undefined, context: WriteContext) => ApiObject;
  /** The uid that the client expects; undefined or '' for any. */
  readonly uid: string | undefined;
  /** True if the client names a resource version: a lost attempt is then refused instead of repeated. */
  readonly versioned: boolean;
  /** True if `apply` records the managed fields itself. */
  readonly tracksFields: boolean;
}
