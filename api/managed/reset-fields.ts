import { EMPTY, type FieldSet, setOf, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const STATUS = setOf(['f:status']);
const SPEC = setOf(['f:spec']);

/**
 * Returns the fields that the server resets in a write to this endpoint, so that the writer cannot own them.
 * They are the status of an object with a status subresource, the spec in that subresource and in an
 * approval, and the metadata that such a subresource preserves.
 */
export function resetFields(
  subresource: string,
  hasStatus: boolean,
  keptMetadata: readonly string[] = [],
): FieldSet {
  if (subresource === '') return hasStatus ? STATUS : EMPTY;
  if (subresource !== 'status' && subresource !== 'approval') return EMPTY;
  return union(SPEC, setOf(...keptMetadata.map((name) => ['f:metadata', fieldElement(name)])));
}
