import type { Scheme } from '../../../api/kinds/index.ts';
import { storagePrefix } from '../resource.ts';

/** Returns the storage prefixes of objects that expire. All versions and groups of a kind have one prefix. */
export function expiringPrefixes(scheme: Scheme): readonly string[] {
  const kinds = scheme.kinds.filter((kind) => !kind.virtual && kind.policy.expires);
  return [...new Set(kinds.map((kind) => storagePrefix(scheme, kind)))];
}
