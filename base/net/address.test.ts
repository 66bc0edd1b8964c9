import { describe, expect, it } from 'vitest';
import { type SpecialRange, embeddedAddresses, parseAddress, specialRange } from './address.ts';

/** Returns the IPv6 spellings of an IPv4 address. */
function embeddings(v4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
  const [left, right] = [hex(a, b), hex(c, d)];
  return [
    `::ffff:${v4}`,
    `::ffff:${left}:${right}`,
    `0:0:0:0:0:FFFF:${left}:${right}`,
    `::ffff:${v4}%eth0`,
    `::${v4}`,
    `::ffff:0:${v4}`,
    `64:ff9b::${v4}`,
    `64:ff9b:1:abcd::${left}:${right}`,
    `64:ff9b:1:${left}:${hex(0, c)}:${hex(d, 0)}::`,
    `64:ff9b:1:${hex(1, a)}:${hex(0, b)}:${hex(c, d)}::`,
    `64:ff9b:1:1:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
    `2002:${left}:${right}::1`,
  ];
}

const V4: readonly [string, SpecialRange | undefined][] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['10.1.2.3', undefined],
  ['126.255.255.255', undefined],
  ['128.0.0.1', undefined],
  ['169.253.1.1', undefined],
  ['223.255.255.255', undefined],
  ['240.0.0.1', undefined],
];

describe('specialRange', () => {
  it.each(V4)('assigns %s to %s in every spelling', (address, range) => {
    for (const each of [address, ...embeddings(address)]) {
      const bytes = parseAddress(each) ?? new Uint8Array();
      expect([each, specialRange(bytes)]).toEqual([each, range]);
    }
  });

  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['0:0:0:0:0:0:0:0', 'unspecified'],
    ['::ffff:0.0.0.0', 'unspecified'],
    ['64:ff9b::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::1%lo', 'loopback'],
    ['fe80::1', 'link-local'],
    ['FEBF::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['ff02::1', 'multicast'],
    ['ff0e::1', 'multicast'],
    ['fec0::1', undefined],
    ['fd00::1', undefined],
    ['2001:db8::7f00:1', undefined],
    ['2001:db8::127.0.0.1', undefined],
  ])('assigns %s to %s', (address, range) => {
    expect(specialRange(parseAddress(address) ?? new Uint8Array())).toBe(range);
  });
});

describe('parseAddress', () => {
  it.each([
    '',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '010.0.0.1',
    '1.2.3',
    '[::1]',
    ':::',
    'localhost',
    '%eth0',
  ])('rejects %j', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it('parses all groups', () => {
    expect(String(parseAddress('2001:db8::a:1.2.3.4'))).toBe('32,1,13,184,0,0,0,0,0,0,0,10,1,2,3,4');
    expect(String(parseAddress('1:2:3:4:5:6:7:8'))).toBe('0,1,0,2,0,3,0,4,0,5,0,6,0,7,0,8');
    expect(embeddedAddresses(parseAddress('2001:db8::1') ?? new Uint8Array())).toEqual([]);
  });
});
