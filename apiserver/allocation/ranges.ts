import { isIP } from 'node:net';

/**
 * Addresses that a server can assign to Services: those of a CIDR without the first (the network) and, in
 * IPv4, the last.
 */
export interface AddressRange {
  /** CIDR in canonical form: `10.0.0.0/24`. */
  readonly cidr: string;
  readonly family: 'IPv4' | 'IPv6';
  /** Number of assignable addresses; at most 65,536, as in upstream. */
  readonly size: number;
  /** Returns the assignable address at an offset, counted from 0. */
  at(offset: number): string;
  has(address: string): boolean;
}

const MAX_SIZE = 65_536;

/** Parses a CIDR. Throws `RangeError` if it is malformed. */
export function parseAddressRange(cidr: string): AddressRange {
  const [address = '', bits = ''] = cidr.split('/');
  const family = isIP(address);
  const width = family === 6 ? 128 : 32;
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > width) {
    throw new RangeError(`expected a CIDR such as 10.0.0.0/24, received ${JSON.stringify(cidr)}`);
  }
  const hostBits = BigInt(width - Number(bits));
  const network = (toNumber(address) >> hostBits) << hostBits;
  const total = (1n << hostBits) - (family === 4 ? 2n : 1n);
  const size = Number(total < 0n ? 0n : total > BigInt(MAX_SIZE) ? BigInt(MAX_SIZE) : total);
  const print = family === 6 ? toIpv6 : toIpv4;
  return {
    cidr: `${print(network)}/${bits}`,
    family: family === 6 ? 'IPv6' : 'IPv4',
    size,
    at: (offset) => print(network + BigInt(offset) + 1n),
    has(candidate) {
      if (isIP(candidate) !== family) return false;
      const offset = toNumber(candidate) - network - 1n;
      return offset >= 0n && offset < BigInt(size);
    },
  };
}

function toNumber(address: string): bigint {
  if (isIP(address) === 4) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = '', tail] = withoutDots(address).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...middle, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

/** Replaces the last four bytes of an IPv6 address by hexadecimal groups if they are in IPv4 notation. */
function withoutDots(address: string): string {
  const at = address.lastIndexOf(':') + 1;
  const last = address.slice(at);
  if (!last.includes('.')) return address;
  const number = toNumber(last);
  return `${address.slice(0, at)}${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
}

const toIpv4 = (number: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 0xffn)).join('.');

/**
 * Formats an address in its shortest form (https://www.rfc-editor.org/rfc/rfc5952): the longest run of at
 * least two zero groups is omitted.
 */
function toIpv6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) => (number >> BigInt(112 - 16 * at)) & 0xffffn);
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0n) length++;
    if (length > best.length) best = { start, length };
  }
  const text = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return best.length < 2 ? text(0, 8) : `${text(0, best.start)}::${text(best.start + best.length, 8)}`;
}

/**
 * Returns the first offset for which `isTaken` is false, or undefined if there is none. The search begins at
 * `start`, ends after `size` offsets and wraps around.
 */
export function freeOffset(
  size: number,
  start: number,
  isTaken: (offset: number) => boolean,
): number | undefined {
  for (let step = 0; step < size; step++) {
    const offset = (start + step) % size;
    if (!isTaken(offset)) return offset;
  }
  return undefined;
}
