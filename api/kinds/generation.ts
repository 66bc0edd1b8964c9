import { type Int64, integerOf } from '../schema/exact-json.ts';

/** The generation after one; 1 where there was none. */
export function nextGeneration(before: Int64 | undefined): Int64 {
  if (typeof before !== 'bigint' && (before ?? 0) < Number.MAX_SAFE_INTEGER) return (before ?? 0) + 1;
  return integerOf(String(BigInt.asIntN(64, BigInt(before ?? 0) + 1n)));
}
