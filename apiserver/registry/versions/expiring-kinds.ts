import type { Scheme } from '../../../api/kinds/scheme.ts';
import { storagePrefix } from '../resource.ts';

/** Where the store keeps objects that do not live for good: one prefix for all versions and groups of a kind. */
export function expiringPrefixes(scheme: Scheme): readonly string[] {
  const kinds = scheme.kinds.filter((kind) => !kind.virtual && kind.policy.expires);
  return [...new Set(kinds.map((kind) => storagePrefix(scheme, kind)))];
}
