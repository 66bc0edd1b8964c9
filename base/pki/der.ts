/** Tags of the universal class (X.690). */
export const DerTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the tag of an explicit context-specific element, `[number]`. */
export const explicit = (number: number): number => 0xa0 | number;

/** Returns the tag of an implicit context-specific primitive element. */
export const implicit = (number: number): number => 0x80 | number;

/** Encodes an element: tag, length in its shortest form, and content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([header(tag, length), ...content]);
}

function header(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length);
  if (length < 0x100) return Buffer.of(tag, 0x81, length);
  if (length < 0x10000) return Buffer.of(tag, 0x82, length >> 8, length & 0xff);
  return Buffer.of(tag, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
}

/** Encodes a SEQUENCE. */
export const sequence = (...content: readonly Uint8Array[]): Buffer => element(DerTag.sequence, ...content);

/** Encodes a dotted object identifier such as `2.5.29.37`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(DerTag.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Encodes a number in base 128, highest digit first. All bytes except the last have the top bit set. */
function base128(arc: number): number[] {
  const bytes = [arc % 0x80];
  for (let left = Math.floor(arc / 0x80); left > 0; left = Math.floor(left / 0x80))
    bytes.unshift((left % 0x80) | 0x80);
  return bytes;
}

/** Encodes a bit string of whole bytes. */
export const bitString = (bytes: Uint8Array): Buffer => element(DerTag.bitString, Buffer.of(0), bytes);

/**
 * Encodes a named bit string without trailing zeros (X.690 section 11.2.2). Bit 0 of the string is the lowest
 * bit of `flags`.
 */
export function namedBits(flags: number): Buffer {
  const count = 32 - Math.clz32(flags);
  const bytes = Buffer.alloc(Math.ceil(count / 8));
  for (let bit = 0; bit < count; bit++)
    if (flags & (1 << bit)) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return element(DerTag.bitString, Buffer.of(bytes.length * 8 - count), bytes);
}

/**
 * Encodes a time in whole seconds. Times up to 2049 are a UTCTime, later times a GeneralizedTime (RFC 5280
 * section 4.1.2.5).
 */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '');
  return digits < '2050'
    ? element(DerTag.utcTime, Buffer.from(`${digits.slice(2)}Z`, 'latin1'))
    : element(DerTag.generalizedTime, Buffer.from(`${digits}Z`, 'latin1'));
}
