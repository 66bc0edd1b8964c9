/** Byte order marks and their encodings, as in libyaml. A text without a byte order mark is UTF-8. */
const MARKS = [
  { mark: Buffer.from([0xff, 0xfe]), decode: (bytes: Buffer) => bytes.toString('utf16le') },
  { mark: Buffer.from([0xfe, 0xff]), decode: (bytes: Buffer) => swapped(bytes).toString('utf16le') },
  { mark: Buffer.from([0xef, 0xbb, 0xbf]), decode: (bytes: Buffer) => bytes.toString('utf8') },
] as const;

/** Returns a copy with the bytes of each 16-bit unit swapped. An odd last byte is dropped. */
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** Decodes a YAML body and removes its byte order mark. */
export function yamlTextOf(bytes: Uint8Array): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { mark, decode } of MARKS)
    if (body.subarray(0, mark.length).equals(mark)) return decode(body.subarray(mark.length));
  return body.toString('utf8');
}

const OTHER_BREAKS = /[\r\u0085]/;

/**
 * Replaces all line endings of YAML 1.1 by line feeds and removes a byte order mark. A text that needs no
 * change is returned unchanged.
 */
export function withPlainBreaks(text: string): string {
  const unmarked = text.startsWith('\ufeff') ? text.slice(1) : text;
  return OTHER_BREAKS.test(unmarked) ? unmarked.replace(/\r\n?|\u0085/g, '\n') : unmarked;
}
