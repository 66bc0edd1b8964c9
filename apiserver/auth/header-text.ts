/**
 * Decodes a header value as UTF-8: Node.js returns the bytes of a header as Latin-1, but clients write UTF-8.
 * Returns the value unchanged if it is not valid UTF-8 or has characters beyond Latin-1.
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

/**
 * Decodes the percent-encoded key in the name of an extra header. Returns the key unchanged if it cannot be
 * decoded.
 */
export function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
