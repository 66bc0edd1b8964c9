import { isIP } from 'node:net';

/** Range of addresses that do not identify a single other host. */
export type SpecialRange = 'unspecified' | 'loopback' | 'link-local' | 'multicast' | 'broadcast';

/**
 * Parses an IP address to its 4 or 16 bytes, and ignores a zone such as `%eth0`. Returns undefined for any
 * other text. Numbers and short forms such as `127.1` are not accepted, as their meaning depends on the
 * resolver.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  const [address = ''] = text.split('%', 1);
  switch (isIP(address)) {
    case 4:
      return Uint8Array.from(address.split('.'), Number);
    case 6:
      return sixteenBytes(address);
    default:
      return undefined;
  }
}

function sixteenBytes(address: string): Uint8Array {
  const [left = '', right] = address.split('::');
  const head = groupBytes(left);
  const tail = groupBytes(right ?? '');
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

const groupBytes = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (group.includes('.')) return group.split('.').map(Number);
        const value = Number.parseInt(group, 16);
        return [value >> 8, value & 0xff];
      });

const LAST_FOUR = [12, 13, 14, 15];

/**
 * Prefixes of IPv6 addresses that represent an IPv4 address, with the positions of the IPv4 bytes. The prefix
 * of NAT64 for local use does not determine the prefix length, so the positions for all lengths of RFC 6052
 * are listed.
 */
const EMBEDDINGS: readonly { readonly prefix: readonly number[]; readonly places: readonly number[][] }[] = [
  // IPv4-mapped, RFC 4291 section 2.5.5.2.
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], places: [LAST_FOUR] },
  // IPv4-compatible, RFC 4291 section 2.5.5.1.
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], places: [LAST_FOUR] },
  // IPv4-translated, RFC 2765 section 2.1.
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], places: [LAST_FOUR] },
  // NAT64, RFC 6052 section 2.1.
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], places: [LAST_FOUR] },
  // NAT64 for local use, RFC 8215.
  {
    prefix: [0, 0x64, 0xff, 0x9b, 0, 1],
    places: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST_FOUR],
  },
  // 6to4, RFC 3056.
  { prefix: [0x20, 0x02], places: [[2, 3, 4, 5]] },
];

/** Returns the IPv4 addresses that an address represents: itself, the embedded addresses, or none. */
export function embeddedAddresses(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length === 4) return [bytes];
  const found = EMBEDDINGS.find(({ prefix }) => prefix.every((byte, at) => bytes[at] === byte));
  return (found?.places ?? []).map((places) => Uint8Array.from(places, (at) => bytes[at] ?? 0));
}

/**
 * Returns the special range of an address, or of an IPv4 address that it represents. Returns undefined for an
 * ordinary address.
 */
export function specialRange(bytes: Uint8Array): SpecialRange | undefined {
  if (bytes.length === 4) return specialRangeV4(bytes);
  const [first = 0, second = 0] = bytes;
  if (bytes.every((byte) => byte === 0)) return 'unspecified';
  if (bytes.every((byte, at) => byte === (at === 15 ? 1 : 0))) return 'loopback';
  if (first === 0xfe && (second & 0xc0) === 0x80) return 'link-local';
  if (first === 0xff) return 'multicast';
  const ranges = embeddedAddresses(bytes).map(specialRangeV4);
  // If the prefix length is unknown, an all-zero candidate is only part of a longer suffix.
  const telling = ranges.length > 1 ? ranges.filter((range) => range !== 'unspecified') : ranges;
  return telling.length === 0 ? ranges[0] : telling.find((range) => range !== undefined);
}

function specialRangeV4(bytes: Uint8Array): SpecialRange | undefined {
  const [first = 0, second = 0] = bytes;
  if (first === 0) return 'unspecified';
  if (first === 127) return 'loopback';
  if (first === 169 && second === 254) return 'link-local';
  if (first >= 224 && first <= 239) return 'multicast';
  return bytes.every((byte) => byte === 0xff) ? 'broadcast' : undefined;
}
