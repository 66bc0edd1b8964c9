/**
 * The text of a header's value: Node gives its bytes as Latin-1, clients write UTF-8. Bytes that are no UTF-8 are taken
 * for Latin-1, and text that no bytes of a wire can be stays what it is.
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

/** The rest of an extra header's name, percent-decoded where it can be. */
export function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
