import type { HttpHeaders } from './message.ts';

/** The protocol that is asked for in place of HTTP (RFC 9110, section 7.8); several stand beside each other with commas. */
export const upgradeOf = (headers: HttpHeaders): string | undefined =>
  (headers['connection'] ?? []).some((line) => /(?:^|,)\s*upgrade\s*(?:$|,)/i.test(line))
    ? headers['upgrade']?.join(', ')
    : undefined;
