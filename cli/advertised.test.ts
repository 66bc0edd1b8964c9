import { describe, expect, it } from 'vitest';
import { advertisedAddress } from './advertised.ts';

const MACHINE = ['fe80::1', '10.1.0.7', '2001:db8::7'];
const reached = (advertised: string, host: string, hosts: readonly string[] = MACHINE) =>
  advertisedAddress(
    advertised,
    () => ({ host, port: 6443 }),
    () => hosts,
  )();

describe('the address that members of the cluster are told', () => {
  it.each([
    ['10.9.9.9', '10.1.0.2', '10.9.9.9'],
    ['', '10.1.0.2', '10.1.0.2'],
    ['', '127.0.0.1', '10.1.0.7'],
    ['', '0.0.0.0', '10.1.0.7'],
    ['', '::', '10.1.0.7'],
  ])('%j, listening at %s: %s', (advertised, host, wanted) => {
    expect(reached(advertised, host)).toEqual({ host: wanted, port: 6443 });
  });

  it('is none on a machine without an address', () => {
    expect(reached('', '127.0.0.1', ['fe80::1'])).toBeUndefined();
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0', '169.254.0.1', 'host.example.com'])('is never %s', (address) => {
    expect(() => reached(address, '10.1.0.2')).toThrow('--advertise-address must be an address');
  });
});
