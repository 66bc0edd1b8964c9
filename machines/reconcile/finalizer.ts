/** Part of an object that the finalizer functions read. */
export interface Finalized {
  readonly metadata?: {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

/**
 * Next step of a controller that uses a finalizer:
 * - `add`: the object lacks the finalizer. Add it before creating anything that needs cleanup.
 * - `held`: the object has the finalizer. Do the normal work.
 * - `clean`: the object is being deleted. Clean up, and remove the finalizer once the cleanup is complete.
 * - `released`: the object is being deleted without the finalizer. Do nothing.
 */
export type FinalizerStep = 'add' | 'held' | 'clean' | 'released';

/** Returns the next step for an object of a controller that uses `finalizer`. */
export function finalizerStep({ metadata = {} }: Finalized, finalizer: string): FinalizerStep {
  const held = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp !== undefined) return held ? 'clean' : 'released';
  return held ? 'held' : 'add';
}

/** Returns the object's finalizers with `finalizer`, appended if it is missing. */
export const withFinalizer = (object: Finalized, finalizer: string): readonly string[] => [
  ...withoutFinalizer(object, finalizer),
  finalizer,
];

/** Returns the object's finalizers without `finalizer`. */
export const withoutFinalizer = (object: Finalized, finalizer: string): readonly string[] =>
  (object.metadata?.finalizers ?? []).filter((each) => each !== finalizer);
