import { EMPTY, type FieldSet, setOf, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const STATUS = setOf(['f:status']);
const SPEC = setOf(['f:spec']);

/**
 * Returns the fields that the server resets in a write to this endpoint, so that the writer cannot own them.
 * A write to an object with a status subresource resets the status. A write to the status or to an approval
 * resets the spec and the metadata that the subresource preserves.
 */
export function resetFields(
  subresource: string,
  hasStatus: boolean,
  preservedMetadata: readonly string[] = [],
): FieldSet {
  if (subresource === '') return hasStatus ? STATUS : EMPTY;
  if (subresource !== 'status' && subresource !== 'approval') return EMPTY;
  return union(SPEC, setOf(...preservedMetadata.map((name) => ['f:metadata', fieldElement(name)])));
}
