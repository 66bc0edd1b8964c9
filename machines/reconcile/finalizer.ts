/** Metadata of an object that finalizer handling reads. */
export interface Finalized {
  readonly metadata?: {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

/**
 * Next step of a controller that holds a finalizer:
 * - `add`: the object has no finalizer. Add it before creating anything that needs cleanup.
 * - `held`: the object has the finalizer. Do the normal work.
 * - `clean`: the object is being deleted. Clean up, and remove the finalizer only when all of it is done.
 * - `released`: the object is being deleted and this controller has nothing left to do.
 */
export type FinalizerStep = 'add' | 'held' | 'clean' | 'released';

/** Returns the next step for an object that a controller holds with `finalizer`. */
export function finalizerStep({ metadata = {} }: Finalized, finalizer: string): FinalizerStep {
  const held = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp !== undefined) return held ? 'clean' : 'released';
  return held ? 'held' : 'add';
}

/** Returns the object's finalizers with this one; appends it if it is new. */
export const withFinalizer = (object: Finalized, finalizer: string): readonly string[] => [
  ...withoutFinalizer(object, finalizer),
  finalizer,
];

/** Returns the object's finalizers without this one. */
export const withoutFinalizer = (object: Finalized, finalizer: string): readonly string[] =>
  (object.metadata?.finalizers ?? []).filter((each) => each !== finalizer);
