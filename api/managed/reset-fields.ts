import { EMPTY, type FieldSet, setOf, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const STATUS = setOf(['f:status']);
const SPEC = setOf(['f:spec']);

/**
 * Fields that a write to this endpoint cannot change, because the server sets them back, and that it so cannot own: status
 * for an object that has a status subresource, spec for that subresource and for an approval; and what else of the metadata
 * such a subresource keeps as it is.
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
