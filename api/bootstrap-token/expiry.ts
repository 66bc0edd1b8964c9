import type { DeepReadonly } from '../kinds/kind.ts';
import type { Secret } from '../types/core-v1.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns when a bootstrap token expires, in milliseconds since 1970: `Infinity` without an `expiration`.
 * Like in release 1.24, an `expiration` that is no RFC 3339 time counts as expired, `-Infinity`.
 */
export function bootstrapTokenExpiryMs({ data }: DeepReadonly<Secret>): number {
  const text = Buffer.from(data?.['expiration'] ?? '', 'base64').toString();
  if (text === '') return Infinity;
  const atMs = RFC_3339.test(text) ? Date.parse(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(atMs) ? -Infinity : atMs;
}
