import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import type { Convert } from '../../../api/managed/updater.ts';

/**
 * Converts objects to the version `apiVersion` by a webhook, in the order given. The caller owns the results. Rejects with an
 * `ApiError`.
 */
export type Converter = (
  objects: readonly DeepReadonly<ApiObject>[],
  apiVersion: string,
) => Promise<readonly ApiObject[]>;

/**
 * Conversions by a webhook that one write needs to compare owners of fields at their versions (release 1.24,
 * `crdVersionConverter`). The comparison itself is synchronous: a step that lacks a conversion is abandoned, and run again
 * once the webhook has answered. A step asks for the same conversions each time, so each of its runs lacks one less.
 */
export interface FieldConversions {
  /** Throws `ConversionPending` for an object that has not been converted yet. */
  readonly convert: Convert;
}
