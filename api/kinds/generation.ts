import { type Int64, integerOf } from '../schema/exact-json.ts';

/**
 * Returns the generation after `before`, or 1 if `before` is undefined. The number wraps around at 64 bits,
 * as in Go.
 */
export function nextGeneration(before: Int64 | undefined): Int64 {
  if (typeof before !== 'bigint' && (before ?? 0) < Number.MAX_SAFE_INTEGER) return (before ?? 0) + 1;
  return integerOf(String(BigInt.asIntN(64, BigInt(before ?? 0) + 1n)));
}
