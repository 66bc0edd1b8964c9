/**
 * Decodes a header value: Node.js returns its bytes as Latin-1, but clients write UTF-8. Keeps a value that
 * is not valid UTF-8, or has characters beyond Latin-1, as it is.
 */
export function fromWire(value: string): string {
  if (!BEYOND_ASCII.test(value) || BEYOND_LATIN_1.test(value)) return value;
  try {
    return UTF_8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the percent-encoded key of an extra header; returns it unchanged if it cannot be decoded. */
export function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
