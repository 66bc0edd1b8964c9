import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { InformerScope } from '../informer/informer.ts';
import type { Watch } from './controller.ts';

/**
 * Function of a change. `object` is the current or last state; `previous` is undefined for a new or deleted
 * object.
 */
type Change<T, R> = (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => R;

/** Options of `watch`. */
export interface WatchDeclaration<T extends ApiObject> extends InformerScope {
  /**
   * Returns the keys that an object enqueues. Default: its own key. A deletion is reported with the last
   * known state.
   */
  readonly keys?: Change<T, readonly string[]>;
  /** Returns false for changes to ignore. Default: none is ignored. A resync reports every object as new. */
  readonly when?: Change<T, boolean>;
}

/** Declares one entry of a controller's `watches`: `watch(secrets, { namespace, keys: (secret) => […] })`. */
export function watch<T extends ApiObject>(kind: Kind<T>, options: WatchDeclaration<T> = {}): Watch {
  const { keys, when, ...scope } = options;
  const declared: Watch<T> = { kind, scope, ...(keys && { keys }), ...(when && { when }) };
  // The list holds watches of different kinds; functions and kind of one entry always match.
  return declared as unknown as Watch;
}

/**
 * Returns a `keys` function: the value of the label names an object in the same namespace. Covers the values
 * before and after a change.
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
 * A `when` function that accepts changes of the desired state: a new, deleted or terminating object, or a new
 * generation. It ignores changes of the status alone. Only for kinds with generations.
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
