import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Convert } from '../../../api/managed/index.ts';

/**
 * Function that converts objects to the version `apiVersion` by a webhook. The results have the order of
 * `objects` and belong to the caller. Rejects with an `ApiError`.
 */
export type Converter = (
  objects: readonly DeepReadonly<ApiObject>[],
  apiVersion: string,
) => Promise<readonly ApiObject[]>;

/**
 * Webhook conversions of one write, for comparing field owners at their versions (release 1.24,
 * `crdVersionConverter`). The comparison is synchronous: a step that lacks a conversion is abandoned, and
 * repeated once the webhook has responded. A step requests the same conversions each time, so every
 * repetition lacks one conversion less.
 */
export interface FieldConversions {
  /** Returns the converted object. Throws `ConversionPending` if the object has not been converted yet. */
  readonly convert: Convert;
}
