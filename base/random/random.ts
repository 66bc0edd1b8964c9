/** Randomness as a dependency. No code outside `base/` uses a global random generator. */
export interface Random {
  /** Returns a number of at least 0 and below 1. */
  next(): number;
  /** Returns an integer of at least 0 and below `below`. */
  int(below: number): number;
  bytes(length: number): Uint8Array;
  /** Returns a version 4 UUID (RFC 9562). */
  uuid(): string;
}

/**
 * Alphabet of generated name suffixes, as in Kubernetes. It contains no vowels and no 0, 1 or 3, so that
 * suffixes contain no words.
 */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a random name suffix of `length` characters, by default five. */
export function nameSuffix(random: Random, length = 5): string {
  let text = '';
  for (let i = 0; i < length; i++) text += NAME_ALPHABET.charAt(random.int(NAME_ALPHABET.length));
  return text;
}

/** Formats 16 random bytes as a version 4 UUID. */
export function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes);
  hex[6] = ((hex[6] ?? 0) & 0x0f) | 0x40;
  hex[8] = ((hex[8] ?? 0) & 0x3f) | 0x80;
  const text = hex.toString('hex');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
