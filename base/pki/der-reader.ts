import { CodedError } from '../errors/coded.ts';

/** One DER element (X.690). Its buffers are views of the input. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Bytes of tag, length and content. */
  readonly whole: Buffer;
}

const malformed = (what: string): CodedError<'ERR_DER'> =>
  new CodedError('ERR_DER', `malformed DER: ${what}`);

/**
 * Reads the element at an offset. Throws `ERR_DER` for a truncated element, for a length that is indefinite
 * or not in its shortest form, and for a tag above 30, which certificates do not use.
 */
export function readElement(bytes: Buffer, at = 0): DerElement {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw malformed('an element is cut off');
  if ((tag & 0x1f) === 0x1f) throw malformed('a tag of several bytes');
  let from = at + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 3 || from + count > bytes.length)
      throw malformed(`a length of ${count} bytes`);
    length = bytes.readUIntBE(from, count);
    from += count;
    if (length < 0x80 || length < 2 ** (8 * (count - 1)))
      throw malformed('a length that is not the shortest');
  }
  if (from + length > bytes.length) throw malformed('an element is cut off');
  return { tag, content: bytes.subarray(from, from + length), whole: bytes.subarray(at, from + length) };
}

/** Reads the sequence of elements in `content`. */
export function readElements(content: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < content.length;) {
    const element = readElement(content, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** Returns `element` if it has `tag`. Throws `ERR_DER` otherwise. */
export function expectTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag === tag) return element;
  throw malformed(`expected tag ${tag}, found ${element === undefined ? 'nothing' : element.tag}`);
}

/**
 * Returns the elements within a constructed element that spans all of `bytes`. Throws `ERR_DER` for another
 * tag or trailing bytes.
 */
export function readWhole(bytes: Buffer, tag: number): DerElement[] {
  const element = expectTag(readElement(bytes), tag);
  if (element.whole.length < bytes.length) throw malformed('trailing bytes');
  return readElements(element.content);
}

/**
 * Returns a dotted object identifier. Throws `ERR_DER` if it is truncated, or if a component has leading
 * zeros or exceeds 2^53. Two encodings must never have the same result.
 */
export function readOid({ content }: DerElement): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    if (arc === 0 && byte === 0x80) throw malformed('an object identifier with a leading zero');
    arc = arc * 0x80 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) throw malformed('an object identifier with a huge number');
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [joint] = arcs;
  if (joint === undefined || (content.at(-1) ?? 0) & 0x80) throw malformed('an object identifier is cut off');
  const first = Math.min(2, Math.floor(joint / 40));
  return [first, joint - 40 * first, ...arcs.slice(1)].join('.');
}

/** Returns the bytes of a bit string. Throws `ERR_DER` if the last byte has unused bits. */
export function readBitString({ content }: DerElement): Buffer {
  if (content[0] !== 0) throw malformed('a bit string with unused bits');
  return content.subarray(1);
}

/**
 * Returns the flags of a named bit string of at most 16 bits. Bit 0 of the string is the lowest bit of the
 * result.
 */
export function readNamedBits({ content }: DerElement): number {
  const [unused = 0xff, ...bytes] = content.subarray(0, 4);
  if (unused > 7 || bytes.length > 2 || (bytes.length === 0 && unused > 0)) throw malformed('named bits');
  let flags = 0;
  for (let bit = 0; bit < 8 * bytes.length - unused; bit++)
    if ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) flags |= 1 << bit;
  return flags;
}

const TIME = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const UTC_TIME = 0x17;

/**
 * Returns a time of a certificate, a UTCTime or GeneralizedTime, in milliseconds since the epoch (RFC 5280
 * section 4.1.2.5).
 */
export function readTime({ tag, content }: DerElement): number {
  const [, year = '', ...rest] = TIME.exec(content.toString('latin1')) ?? [];
  if (year.length !== (tag === UTC_TIME ? 2 : 4)) throw malformed('a time in an invalid form');
  const short = Number(year);
  const full = tag === UTC_TIME ? short + (short < 50 ? 2000 : 1900) : short;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = rest.map(Number);
  const ms = Date.UTC(full, month - 1, day, hour, minute, second);
  // `Date.UTC` interprets the 31st of June as the 1st of July.
  const date = new Date(ms);
  if (
    date.getUTCDate() !== day ||
    date.getUTCMonth() !== month - 1 ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    throw malformed('a time in an invalid form');
  return ms;
}
