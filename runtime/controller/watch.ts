import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { InformerScope } from '../informer/informer.ts';
import type { Watch } from './controller.ts';

/** Of a change: the object as it is or last was, and as it was before; undefined for one that is new or gone. */
type Change<T, R> = (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => R;

export interface WatchDeclaration<T extends ApiObject> extends InformerScope {
  /**
   * The keys an object of the kind brings up; default its own `namespace/name`. Called with the last known state on a
   * deletion.
   */
  readonly keys?: Change<T, readonly string[]>;
  /**
   * Which changes count; default all. At a resync every object is shown as if it were new.
   */
  readonly when?: Change<T, boolean>;
}

/** One entry of a controller's `watches`: `watch(secrets, { namespace, keys: (secret) => […] })`. */
export function watch<T extends ApiObject>(kind: Kind<T>, options: WatchDeclaration<T> = {}): Watch {
  const { keys, when, ...scope } = options;
  const declared: Watch<T> = { kind, scope, ...(keys && { keys }), ...(when && { when }) };
  // The list holds watches of many kinds; what stands in one entry always belongs together.
  return declared as unknown as Watch;
}

/** For `keys`: an object's label names, in its own namespace, the object to look at; before and after a change. */
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
 * For `when`: what people changed. An object that is new, gone, being deleted or of another generation; not one whose
 * status alone has changed. Only for kinds that count generations.
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
