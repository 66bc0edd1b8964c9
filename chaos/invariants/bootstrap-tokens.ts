import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { fromTime } from '../../base/clock/index.ts';

/**
 * Returns the expiry of a token in milliseconds; undefined for none, 0 for an unreadable one, which counts as
 * expired.
 */
export function expiryOf(secret: DeepReadonly<Secret>): number | undefined {
  const text = Buffer.from(secret.data?.['expiration'] ?? '', 'base64').toString();
  return text === '' ? undefined : (fromTime(text) ?? 0);
}
