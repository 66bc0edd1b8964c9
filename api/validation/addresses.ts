import { isIP } from 'node:net';
import { type FieldErrors, invalidField } from '../status/field-errors.ts';

export type Family = 'IPv4' | 'IPv6';

export const familyOf = (address: string): Family => (isIP(address) === 6 ? 'IPv6' : 'IPv4');

const LINK_LOCAL_V6 = /^fe[89ab][0-9a-f]:/i;
const LOCAL_MULTICAST_V6 = /^ff[0-9a-f]2:/i;

/** Addresses that mean something else to every host cannot be those of a service or pod (release 1.24, `ValidateNonSpecialIP`). */
export function validateNonSpecialAddress(address: string, field: string): FieldErrors {
  const refused = (detail: string): FieldErrors => [invalidField(field, address, detail)];
  if (isIP(address) === 0) return refused('must be a valid IP address');
  if (address === '0.0.0.0' || /^[0:]+$/.test(address))
    return refused('may not be unspecified (0.0.0.0 or ::)');
  if (address.startsWith('127.') || address === '::1') {
    return refused('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  }
  if (address.startsWith('169.254.') || LINK_LOCAL_V6.test(address)) {
    return refused('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  }
  if (address.startsWith('224.0.0.') || LOCAL_MULTICAST_V6.test(address)) {
    return refused('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
  return [];
}
