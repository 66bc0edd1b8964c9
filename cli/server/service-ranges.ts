import {
  type AddressRange,
  type ServiceRanges,
  parseAddressRange,
} from '../../apiserver/allocation/index.ts';
import { type Flag, integer } from '../flags/flags.ts';

/** Minimum and maximum number of addresses in a service range, as powers of two. */
const MIN_BITS = 3;
const MAX_BITS = 20;

/**
 * Returns a flag for one range such as `10.0.0.0/24`, or for two ranges of different families separated by a
 * comma.
 */
export function serviceAddressesFlag(fallback: string): Flag<readonly AddressRange[]> {
  return {
    kind: 'text',
    help: 'address ranges of services: one, or two of different families separated by a comma',
    fallback: parseAddresses(fallback),
    shown: fallback,
    parse: parseAddresses,
  };
}

function parseAddresses(text: string): readonly AddressRange[] {
  const ranges = text.split(',').map((each) => parseAddressRange(each.trim()));
  if (ranges.length > 2) throw new Error('expected one range or two');
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family)
    throw new Error('expected two ranges of different families');
  for (const { cidr, family } of ranges) {
    const bits = (family === 'IPv6' ? 128 : 32) - Number(cidr.split('/')[1]);
    if (bits > MAX_BITS) throw new Error(`expected a range of at most ${MAX_BITS} bits, ${cidr} has ${bits}`);
    if (bits < MIN_BITS)
      throw new Error(`expected a range of at least ${MIN_BITS} bits, ${cidr} has ${bits}`);
  }
  return ranges;
}

type Ports = ServiceRanges['nodePorts'];

/**
 * Returns a flag for ports: `30000-32767` (first and last port) or `30000+2767` (first port and number of
 * further ports).
 */
export function nodePortsFlag(fallback: string): Flag<Ports> {
  return {
    kind: 'text',
    help: 'range of node ports for services, such as 30000-32767',
    fallback: parsePorts(fallback),
    shown: fallback,
    parse: parsePorts,
  };
}

const port = integer(0, '', { min: 1, max: 65_535 });

function parsePorts(text: string): Ports {
  const [, from = '', sign, to = ''] = /^(\d+)([-+])(\d+)$/.exec(text.trim()) ?? [];
  if (sign === undefined) throw new Error('expected two ports as in 30000-32767');
  const first = port.parse(from);
  const last = port.parse(sign === '-' ? to : String(first + Number(to)));
  if (last < first) throw new Error('expected the first port to be no greater than the last');
  return { first, last };
}
