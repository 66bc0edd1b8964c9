import type { DeepReadonly } from '../kinds/kind.ts';
import { type FieldErrors, invalidField } from '../status/field-errors.ts';
import type { TokenRequest } from '../types/authentication-v1.ts';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** Release 1.24, `ValidateTokenRequest`. */
export function validateTokenRequest({ spec }: DeepReadonly<TokenRequest>): FieldErrors {
  const seconds = spec?.expirationSeconds ?? 0;
  const path = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS) {
    return [invalidField(path, seconds, 'may not specify a duration less than 10 minutes')];
  }
  return seconds > MAX_SECONDS
    ? [invalidField(path, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}
