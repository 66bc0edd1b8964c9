import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { PatchMediaType, WriteContext } from '../registry.ts';

/** Object that a write addresses. */
export interface WriteTarget {
  /** Namespace; '' for a cluster-scoped kind. */
  readonly namespace: string;
  /** Name; '' if the body contains the name or requests a generated one. */
  readonly name: string;
  /** Name of an `ObjectSubresource`; '' for the object itself. */
  readonly subresource: string;
}

/** POST to a collection. `body` is parsed JSON, not yet decoded. It must not be used afterwards. */
export interface CreateIntent {
  readonly verb: 'create';
  readonly namespace: string;
  readonly body: unknown;
}

/**
 * PUT of an object or one of its subresources. `body` is parsed JSON, not yet decoded. It must not be used
 * afterwards.
 */
export interface UpdateIntent extends WriteTarget {
  readonly verb: 'update';
  readonly body: unknown;
}

/** PATCH of an object or one of its subresources, including server-side apply. */
export interface PatchIntent extends WriteTarget {
  readonly verb: 'patch';
  readonly type: PatchMediaType;
  readonly patch: unknown;
}

/** Write that results in an object, as data. User and options are in the `WriteContext`. */
export type WriteIntent = CreateIntent | UpdateIntent | PatchIntent;

/** Decoded intent: a function from the stored object to the object the client wants. */
export interface Change extends WriteTarget {
  /**
   * State of the object that the write requires:
   *
   * - `absent`: the write creates the object, and is rejected with 409 if it exists
   * - `present`: the write changes the object, and is rejected with 404 if there is none
   * - `either`: the write changes the object, or creates it if there is none
   */
  readonly accepts: 'absent' | 'present' | 'either';
  /**
   * Returns the wanted object without defaults. `previous` is undefined if the write creates the object.
   * Warnings are the only side effect. The function is called again for each attempt, and the caller may
   * modify the result.
   */
  readonly apply: (previous: DeepReadonly<ApiObject> | undefined, context: WriteContext) => ApiObject;
  /** The uid that the client expects; undefined or '' for any uid. */
  readonly uid: string | undefined;
  /**
   * True if the client states a resource version. A conflicting attempt is then rejected instead of repeated.
   */
  readonly versioned: boolean;
  /** True if `apply` itself records the managed fields. */
  readonly tracksFields: boolean;
}
