import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { fromTime } from '../../base/clock/index.ts';

/**
 * Returns the expiry of a token in milliseconds. Undefined if the token never expires, 0 if its expiry cannot
 * be parsed, so that the token counts as expired.
 */
export function expiryOf(secret: DeepReadonly<Secret>): number | undefined {
  const text = Buffer.from(secret.data?.['expiration'] ?? '', 'base64').toString();
  return text === '' ? undefined : (fromTime(text) ?? 0);
}
