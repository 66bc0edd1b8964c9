/** What a controller needs to know of an object to keep a finalizer on it. */
export interface Finalized {
  readonly metadata?: {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

/**
 * What a finalizer asks of a controller:
 *
 * - `add`: the object is not held yet. Hold it before anything is made that must be cleaned up.
 * - `held`: the object is held; do the ordinary work.
 * - `clean`: the object is being deleted. Clean up, and let it go only when all of it is done.
 * - `released`: the object is being deleted and this controller has nothing more to do with it.
 */
export type FinalizerStep = 'add' | 'held' | 'clean' | 'released';

export function finalizerStep({ metadata = {} }: Finalized, finalizer: string): FinalizerStep {
  const held = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp !== undefined) return held ? 'clean' : 'released';
  return held ? 'held' : 'add';
}

/** The object's finalizers with this one, at the end where it is new. */
export const withFinalizer = (object: Finalized, finalizer: string): readonly string[] => [
  ...withoutFinalizer(object, finalizer),
  finalizer,
];

/** The object's finalizers without this one. */
export const withoutFinalizer = (object: Finalized, finalizer: string): readonly string[] =>
  (object.metadata?.finalizers ?? []).filter((each) => each !== finalizer);
