import { EMPTY, type FieldSet, setOf } from './field-set.ts';

const STATUS = setOf(['f:status']);
const SPEC = setOf(['f:spec']);

/**
 * Fields that a write to this endpoint cannot change, because the server sets them back, and that it so cannot own: status
 * for an object that has a status subresource, spec for that subresource and for an approval.
 */
export function resetFields(subresource: string, hasStatus: boolean): FieldSet {
  if (subresource === '') return hasStatus ? STATUS : EMPTY;
  return subresource === 'status' || subresource === 'approval' ? SPEC : EMPTY;
}
