import { describe, expect, it } from 'vitest';
import { nodePortsFlag, serviceAddressesFlag } from './service-ranges.ts';

describe('--service-cluster-ip-range', () => {
  const { parse, fallback } = serviceAddressesFlag('10.0.0.0/24');

  it('accepts one range, or one range of each family', () => {
    expect(fallback.map(({ cidr }) => cidr)).toEqual(['10.0.0.0/24']);
    expect(parse('10.96.0.0/12,fd00::/112').map(({ family }) => family)).toEqual(['IPv4', 'IPv6']);
    expect(parse('10.0.0.0/29').map(({ size }) => size)).toEqual([6]);
  });

  it.each([
    ['10.0.0.0', 'expected a CIDR'],
    ['10.0.0.0/24,10.1.0.0/24', 'two ranges of different families'],
    ['10.0.0.0/24,fd00::/112,10.1.0.0/24', 'one range or two'],
    ['10.0.0.0/8', 'at most 20 bits, 10.0.0.0/8 has 24'],
    ['10.0.0.0/30', 'at least 3 bits, 10.0.0.0/30 has 2'],
  ])('rejects the ranges %s', (text, complaint) => {
    expect(() => parse(text)).toThrow(complaint);
  });
});

describe('--service-node-port-range', () => {
  const { parse } = nodePortsFlag('30000-32767');

  it('accepts a first and last port, or a first port and a count', () => {
    expect(parse('30000-30010')).toEqual({ first: 30_000, last: 30_010 });
    expect(parse('30000+10')).toEqual({ first: 30_000, last: 30_010 });
  });

  it.each(['30000', '0-10', '2-1', '1-70000', 'a-b'])('rejects the port range %s', (text) => {
    expect(() => parse(text)).toThrow('expected');
  });
});
