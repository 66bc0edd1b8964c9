import type { HttpHeaders } from './message.ts';

/**
 * Returns the requested protocols of an `Upgrade` header (RFC 9110, section 7.8), separated by commas.
 * Returns undefined if no upgrade is requested.
 */
export const upgradeOf = (headers: HttpHeaders): string | undefined =>
  (headers['connection'] ?? []).some((line) => /(?:^|,)\s*upgrade\s*(?:$|,)/i.test(line))
    ? headers['upgrade']?.join(', ')
    : undefined;
