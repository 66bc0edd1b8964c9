export { ApplyConflicts, applyConflict } from './conflict.ts';
export {
  type FieldWrite,
  UnappliableError,
  applyManaged,
  typedObject,
  updateManaged,
} from './field-manager.ts';
export { parseManagers } from './managers.ts';
export { mergeValues } from './merge.ts';
export { compareConfigurations } from './reapplied.ts';
export { resetFields } from './reset-fields.ts';
export { shapeOf } from './shape.ts';
export { type Typed, TypedError } from './typed.ts';
export { ConversionPending, type Convert } from './updater.ts';
export { checkTyped } from './validate.ts';
