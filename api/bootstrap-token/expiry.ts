import type { DeepReadonly } from '../kinds/kind.ts';
import type { Secret } from '../types/core-v1.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the time at which a bootstrap token expires, in milliseconds since 1970; `Infinity` if it has no
 * `expiration`. Like in release 1.24, a token whose `expiration` is not an RFC 3339 time counts as expired;
 * the result is `-Infinity`.
 */
export function bootstrapTokenExpiryMs({ data }: DeepReadonly<Secret>): number {
  const text = Buffer.from(data?.['expiration'] ?? '', 'base64').toString();
  if (text === '') return Infinity;
  const atMs = RFC_3339.test(text) ? Date.parse(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(atMs) ? -Infinity : atMs;
}
