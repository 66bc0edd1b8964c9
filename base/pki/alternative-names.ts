import { isIPv4, isIPv6 } from 'node:net';
import { CodedError } from '../errors/coded.ts';
import { DerTag, element, explicit, implicit, sequence } from './der.ts';
import { type DerElement, readWhole } from './der-reader.ts';

/** Subject alternative names of the types that certificates may be issued with. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** Subject alternative names that were parsed. */
export interface ReadAlternativeNames extends AlternativeNames {
  /**
   * Types of well-formed names that are not parsed, with the terms of RFC 5280, such as `otherName` or
   * `directoryName`.
   */
  readonly otherKinds: readonly string[];
}

/** Empty lists of names. */
export const noAlternativeNames: AlternativeNames = {
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
};

/** Tags of the GeneralName types (RFC 5280 section 4.2.1.6). */
const EMAIL = implicit(1);
const DNS = implicit(2);
const URI = implicit(6);
const IP = implicit(7);
const OTHER_KINDS: ReadonlyMap<number, string> = new Map([
  [explicit(0), 'otherName'],
  [explicit(3), 'x400Address'],
  [explicit(4), 'directoryName'],
  [explicit(5), 'ediPartyName'],
  [implicit(8), 'registeredID'],
]);

/** Parses the value of a subject alternative name extension. Throws `ERR_DER` if any part cannot be read. */
export function readAlternativeNames(der: Buffer): ReadAlternativeNames {
  const names = readWhole(der, DerTag.sequence);
  if (names.length === 0) throw new CodedError('ERR_DER', 'an empty list of alternative names');
  const unknown = names.find(({ tag }) => !READ.has(tag) && !OTHER_KINDS.has(tag));
  if (unknown)
    throw new CodedError('ERR_DER', `an alternative name of unknown kind 0x${unknown.tag.toString(16)}`);
  const all = (wanted: number, read: (name: DerElement) => string): readonly string[] =>
    names.filter(({ tag }) => tag === wanted).map(read);
  return {
    dnsNames: all(DNS, textOf('DNS')),
    ipAddresses: all(IP, ({ content }) => readIpAddress(content)),
    emailAddresses: all(EMAIL, textOf('email')),
    uris: all(URI, textOf('URI')),
    otherKinds: names.flatMap(({ tag }) => OTHER_KINDS.get(tag) ?? []),
  };
}

const READ: ReadonlySet<number> = new Set([EMAIL, DNS, URI, IP]);

/**
 * Returns `text` if it is printable ASCII. Throws `ERR_DER` otherwise, as some programs end a name at a NUL
 * character.
 */
function printable(kind: string, text: string): string {
  if (/^[ -~]+$/.test(text)) return text;
  const found = text === '' ? 'is empty' : 'has other characters';
  throw new CodedError('ERR_DER', `${kind} alternative name ${found}, expected printable ASCII`);
}

const textOf =
  (kind: string) =>
  ({ content }: DerElement): string =>
    printable(kind, content.toString('latin1'));

const text = (tag: number, kind: string, name: string): Buffer =>
  element(tag, Buffer.from(printable(kind, name), 'latin1'));

function readIpAddress(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length === 16) {
    const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
    return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
  }
  throw new CodedError('ERR_DER', `an IP alternative name of ${bytes.length} bytes, expected 4 or 16`);
}

/** Returns the bytes of an IP address. Throws `ERR_DER` for any other text. */
function ipBytes(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  if (!isIPv6(text) || text.includes('%')) throw new CodedError('ERR_DER', `${text} is not an IP address`);
  // The URL parser writes an IPv4 suffix in hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part = ''): string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const bytes = Buffer.alloc(16);
  [...before, ...zeros, ...after].forEach((group, at) => bytes.writeUInt16BE(parseInt(group, 16), 2 * at));
  return bytes;
}

/** True if there is at least one name. */
export const hasAlternativeNames = (names: AlternativeNames): boolean =>
  names.dnsNames.length + names.ipAddresses.length + names.emailAddresses.length + names.uris.length > 0;

/**
 * Returns the reason why no certificate is issued with `names`, or undefined. A certificate would lack the
 * names that were not parsed.
 */
export function alternativeNamesFault({ otherKinds }: ReadAlternativeNames): string | undefined {
  return otherKinds.length === 0
    ? undefined
    : `${otherKinds[0]} subjectAltNames are not supported, expected DNS, IP, email or URI`;
}

/**
 * Encodes the value of a subject alternative name extension. Throws `ERR_DER` for a name that
 * `readAlternativeNames` would reject.
 */
export const writeAlternativeNames = (names: AlternativeNames): Buffer =>
  sequence(
    ...names.dnsNames.map((name) => text(DNS, 'DNS', name)),
    ...names.emailAddresses.map((name) => text(EMAIL, 'email', name)),
    ...names.ipAddresses.map((address) => element(IP, ipBytes(address))),
    ...names.uris.map((uri) => text(URI, 'URI', uri)),
  );
