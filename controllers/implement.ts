import { type ControllerDefinition, defineController } from '../runtime/index.ts';
import type { ControllerManifest } from './manifest.ts';

/** Parts of a controller that its manifest lacks. */
type Implementation = Pick<
  ControllerDefinition,
  'machine' | 'watches' | 'effects' | 'resyncMs' | 'reconcileTimeoutMs' | 'afterReconcile'
>;

/**
 * Returns the controller of a manifest and its implementation. Throws under the same conditions as
 * `defineController`.
 */
export function implement(
  { name, concurrency, eventSource, single, deadlineSensitive, offByDefault }: ControllerManifest,
  implementation: Implementation,
): ControllerDefinition {
  return defineController({
    name,
    concurrency,
    ...(eventSource === undefined ? {} : { eventSource }),
    ...(single && { single }),
    ...(deadlineSensitive && { deadlineSensitive }),
    ...(offByDefault && { offByDefault }),
    ...implementation,
  });
}
