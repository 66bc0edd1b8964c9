import { isIP } from 'node:net';
import { parseAddress, specialRange } from '../../../base/net/index.ts';
import { type FieldErrors, invalidField } from '../../status/field-errors.ts';

/** Family of an IP address. */
export type Family = 'IPv4' | 'IPv6';

/** Returns the family of an IP address. */
export const familyOf = (address: string): Family => (isIP(address) === 6 ? 'IPv6' : 'IPv4');

/**
 * Rejects addresses of Services and Endpoints that have a different meaning on each host, such as loopback
 * addresses (`ValidateNonSpecialIP` in Kubernetes 1.24).
 */
export function validateNonSpecialAddress(address: string, field: string): FieldErrors {
  const refused = (detail: string): FieldErrors => [invalidField(field, address, detail)];
  const bytes = address.includes('%') ? undefined : parseAddress(address);
  if (bytes === undefined) return refused('must be a valid IP address');
  switch (specialRange(bytes)) {
    case 'unspecified':
      return refused('may not be unspecified (0.0.0.0 or ::)');
    case 'loopback':
      return refused('may not be in the loopback range (127.0.0.0/8, ::1/128)');
    case 'link-local':
      return refused('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
    case 'multicast':
      return isLinkLocalMulticast(bytes)
        ? refused('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
        : [];
    default:
      return [];
  }
}

function isLinkLocalMulticast(bytes: Uint8Array): boolean {
  const [a, b = 0, c] = bytes.length === 4 || bytes[0] === 0xff ? bytes : bytes.subarray(12);
  return bytes[0] === 0xff ? (b & 0x0f) === 2 : a === 224 && b === 0 && c === 0;
}
