/** Byte order marks and the encodings they stand for, as libyaml's reader knows them; UTF-8 without a mark. */
const MARKS = [
  { mark: Buffer.from([0xff, 0xfe]), decode: (bytes: Buffer) => bytes.toString('utf16le') },
  { mark: Buffer.from([0xfe, 0xff]), decode: (bytes: Buffer) => swapped(bytes).toString('utf16le') },
  { mark: Buffer.from([0xef, 0xbb, 0xbf]), decode: (bytes: Buffer) => bytes.toString('utf8') },
] as const;

/** A copy with the two bytes of each unit exchanged; half a unit at the end is dropped. */
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** The text of a YAML body without its byte order mark. */
export function yamlTextOf(bytes: Uint8Array): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { mark, decode } of MARKS)
    if (body.subarray(0, mark.length).equals(mark)) return decode(body.subarray(mark.length));
  return body.toString('utf8');
}

const OTHER_BREAKS = /[\r\u0085]/;

/**
 * The text with line feeds for the other line ends that a YAML 1.1 reader normalizes, and without a byte order mark. Where a
 * text has neither it is returned as it is.
 */
export function withPlainBreaks(text: string): string {
  const unmarked = text.startsWith('\ufeff') ? text.slice(1) : text;
  return OTHER_BREAKS.test(unmarked) ? unmarked.replace(/\r\n?|\u0085/g, '\n') : unmarked;
}
