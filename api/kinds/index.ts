export { humanDuration } from './age.ts';
export { sameValue } from './carry-over.ts';
export { CREATED, ageColumn, nameColumn } from './columns.ts';
export { nextGeneration } from './generation.ts';
export {
  type ApiObject,
  type Column,
  type Connection,
  type DeepReadonly,
  type Deprecation,
  type Kind,
  type ObjectSubresource,
  type ScaleAccess,
  type StoredAs,
  type StrategyContext,
  type Subresource,
  type UserInfo,
  type Verb,
  type Whole,
  defineKind,
  isConfidential,
  isVirtualSubresource,
  storedKindOf,
} from './kind.ts';
export type { KindPolicy } from './policy.ts';
export { type AnyKind, type Scheme, createScheme, keyOf, splitKey } from './scheme.ts';
