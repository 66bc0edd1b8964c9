import { CodedError } from '../errors/coded.ts';

/** One element of DER (X.690); its bytes are views into what was read. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

const malformed = (what: string): CodedError<'ERR_DER'> =>
  new CodedError('ERR_DER', `malformed DER: ${what}`);

/**
 * The element that begins at `at`. Throws ERR_DER for one that does not end within `bytes`, for a length that is not
 * definite or not in its shortest form, and for tags above 30, which no structure here has.
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

/** The elements that `content` consists of, one after the other. */
export function readElements(content: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < content.length;) {
    const element = readElement(content, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** `element`, which is to have `tag`. Throws ERR_DER for another and for none. */
export function expectTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag === tag) return element;
  throw malformed(`expected tag ${tag}, found ${element === undefined ? 'nothing' : element.tag}`);
}

/** What stands in a `tag`, by default all of `bytes`. Throws ERR_DER also for bytes behind it. */
export function readWhole(bytes: Buffer, tag: number): DerElement[] {
  const element = expectTag(readElement(bytes), tag);
  if (element.whole.length < bytes.length) throw malformed('bytes behind its end');
  return readElements(element.content);
}

/**
 * The arcs of an object identifier, dotted. Throws ERR_DER for one that is cut off, has arcs with leading zeros or over
 * 2^53: no two spellings may give one identifier.
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

/** The bytes of a bit string; one that does not end at a byte's end throws ERR_DER. */
export function readBitString({ content }: DerElement): Buffer {
  if (content[0] !== 0) throw malformed('a bit string that is no whole bytes');
  return content.subarray(1);
}

/** The bits of a bit string of named bits, bit 0 the lowest; at most 16. */
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

/** A UTCTime or GeneralizedTime as certificates have it (RFC 5280 section 4.1.2.5), milliseconds since the epoch. */
export function readTime({ tag, content }: DerElement): number {
  const [, year = '', ...rest] = TIME.exec(content.toString('latin1')) ?? [];
  if (year.length !== (tag === UTC_TIME ? 2 : 4)) throw malformed('a time that is none of a certificate');
  const short = Number(year);
  const full = tag === UTC_TIME ? short + (short < 50 ? 2000 : 1900) : short;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = rest.map(Number);
  const ms = Date.UTC(full, month - 1, day, hour, minute, second);
  // Date.UTC takes the 31st of June for the 1st of July.
  const date = new Date(ms);
  if (
    date.getUTCDate() !== day ||
    date.getUTCMonth() !== month - 1 ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    throw malformed('a time that is none of a certificate');
  return ms;
}
