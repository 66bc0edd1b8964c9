import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Convert } from '../../../api/managed/index.ts';

/**
 * Converts objects to the version `apiVersion` by a webhook; results are in the same order and belong to the
 * caller. Rejects with an `ApiError`.
 */
export type Converter = (
  objects: readonly DeepReadonly<ApiObject>[],
  apiVersion: string,
) => Promise<readonly ApiObject[]>;

/**
 * Conversions by a webhook for comparing field owners at their versions in one write (release 1.24,
 * `crdVersionConverter`). The comparison is synchronous: a step that lacks a conversion is abandoned, and run
 * again once the webhook has answered. A step requests the same conversions each time, so every run lacks one
 * less.
 */
export interface FieldConversions {
  /** Throws `ConversionPending` for an object that has not been converted yet. */
  readonly convert: Convert;
}
