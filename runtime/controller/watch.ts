import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { InformerScope } from '../informer/informer.ts';
import type { Watch } from './controller.ts';

/**
 * Function of a change. `object` is the current or, for a deletion, the last state. `previous` is undefined
 * for a new or deleted object.
 */
type Change<T, R> = (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => R;

/** Options of `watch`. */
export interface WatchDeclaration<T extends ApiObject> extends InformerScope {
  /**
   * Returns the keys that an object enqueues. Default: the object's own key. For a deletion, the function
   * receives the last known state.
   */
  readonly keys?: Change<T, readonly string[]>;
  /**
   * Returns false for changes to ignore. Default: no change is ignored. A resync passes every object as new.
   */
  readonly when?: Change<T, boolean>;
}

/** Declares one entry of a controller's `watches`: `watch(secrets, { namespace, keys: (secret) => […] })`. */
export function watch<T extends ApiObject>(kind: Kind<T>, options: WatchDeclaration<T> = {}): Watch {
  const { keys, when, ...scope } = options;
  const declared: Watch<T> = { kind, scope, ...(keys && { keys }), ...(when && { when }) };
  // The cast is safe: `kind` and the functions of one entry have the same object type.
  return declared as unknown as Watch;
}

/**
 * Returns a `keys` function. The value of the label names an object in the same namespace. If a change
 * replaces the value, the keys of both values are returned.
 */
export function keysOfLabel(
  label: string,
): (object: DeepReadonly<ApiObject>, previous: DeepReadonly<ApiObject> | undefined) => readonly string[] {
  const keyOf = (object: DeepReadonly<ApiObject> | undefined): readonly string[] => {
    const { labels, namespace } = object?.metadata ?? {};
    const name = labels?.[label];
    return name ? [namespace ? `${namespace}/${name}` : name] : [];
  };
  return (object, previous) => [...new Set([...keyOf(object), ...keyOf(previous)])];
}

/**
 * True for a change of the desired state: a new, deleted or terminating object, or a new generation. False
 * for a change of the status alone. Use as `when`, only for kinds with generations.
 */
export function generationChanged(
  { metadata: now }: DeepReadonly<ApiObject>,
  previous: DeepReadonly<ApiObject> | undefined,
): boolean {
  const before = previous?.metadata;
  return (
    now?.generation !== before?.generation ||
    now?.uid !== before?.uid ||
    now?.deletionTimestamp !== before?.deletionTimestamp
  );
}
