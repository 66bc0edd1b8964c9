import type { DeepReadonly } from '../kinds/kind.ts';
import type { Secret } from '../types/core-v1.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * When a bootstrap token expires, in milliseconds since 1970 (specification 1, section 2.4): never, `Infinity`, without an
 * `expiration`; with one that is no RFC 3339 time it has long expired, `-Infinity`, as release 1.24 has it.
 */
export function bootstrapTokenExpiryMs({ data }: DeepReadonly<Secret>): number {
  const text = Buffer.from(data?.['expiration'] ?? '', 'base64').toString();
  if (text === '') return Infinity;
  const atMs = RFC_3339.test(text) ? Date.parse(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(atMs) ? -Infinity : atMs;
}
