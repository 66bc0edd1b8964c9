import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../apiserver/allocation/ranges.ts';
import { advertisedAddress, servingHosts } from './advertised.ts';

const MACHINE = ['fe80::1', '10.1.0.7', '2001:db8::7'];
const reached = (advertised: string, host: string, hosts: readonly string[] = MACHINE) =>
  advertisedAddress(
    advertised,
    () => ({ host, port: 6443 }),
    () => hosts,
  )();

describe('advertisedAddress', () => {
  it.each([
    ['10.9.9.9', '10.1.0.2', '10.9.9.9'],
    ['', '10.1.0.2', '10.1.0.2'],
    ['', '127.0.0.1', '10.1.0.7'],
    ['', '0.0.0.0', '10.1.0.7'],
    ['', '::', '10.1.0.7'],
  ])('for the flag %j and the listening address %s is %s', (advertised, host, wanted) => {
    expect(reached(advertised, host)).toEqual({ host: wanted, port: 6443 });
  });

  it('is undefined on a machine without an address', () => {
    expect(reached('', '127.0.0.1', ['fe80::1'])).toBeUndefined();
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0', '169.254.0.1', 'host.example.com'])(
    'rejects the flag %s',
    (address) => {
      expect(() => reached(address, '10.1.0.2')).toThrow('--advertise-address must be an address');
    },
  );
});

describe('servingHosts', () => {
  it.each([
    ['127.0.0.1', '', ['10.0.0.0/24'], ['127.0.0.1', '10.1.0.7', '10.0.0.1']],
    ['10.1.0.2', '', ['10.0.0.0/24', 'fd00::/112'], ['10.1.0.2', '10.1.0.2', '10.0.0.1', 'fd00::1']],
    ['0.0.0.0', '10.9.9.9', ['10.0.0.0/24'], ['0.0.0.0', '10.9.9.9', '10.0.0.1']],
  ])(
    'for the listening address %s, the advertised address %j and the service ranges %j are %j',
    (host, advertised, ranges, wanted) => {
      const flags = {
        'bind-address': host,
        'advertise-address': advertised,
        'service-cluster-ip-range': ranges.map(parseAddressRange),
      };
      expect(servingHosts(flags, () => MACHINE)).toEqual(wanted);
    },
  );

  it('omit the advertised address on a machine without an external address', () => {
    const flags = {
      'bind-address': '127.0.0.1',
      'advertise-address': '',
      'service-cluster-ip-range': [parseAddressRange('10.0.0.0/24')],
    };
    expect(servingHosts(flags, () => [])).toEqual(['127.0.0.1', '10.0.0.1']);
  });
});
