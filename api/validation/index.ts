export { type Family, familyOf } from './network/addresses.ts';
export { invalidTyped } from './go-text/dump.ts';
export { goStrings, invalidLiteral } from './go-text/values.ts';
export { selectorText, selects } from './label-selector.ts';
export { MANAGER_LIMIT, validateManager } from './managers.ts';
export {
  type MetadataRules,
  validateAnnotations,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './metadata.ts';
export {
  type NameCheck,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegment,
  isQualifiedName,
} from './names.ts';
export { validatePrivileges } from './pod/privileged.ts';
