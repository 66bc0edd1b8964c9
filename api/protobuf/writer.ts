const FIRST_BYTES = 2048;
/** Size of a message in bytes from which copying it costs more than wasting the unused part of its buffer. */
const LARGE_BYTES = 64 * 1024;
/** Maximum length of a string for which a loop over its characters is faster than a native call. */
const SHORT_TEXT = 48;

/**
 * Writer that writes a message from its end to its beginning, like upstream's encoder. The length of a nested
 * message is then known when the length is written.
 */
export class BackwardWriter {
  #buffer: Buffer;
  #at: number;

  /** Allocates a buffer of `bytes` bytes, which grows if necessary. */
  constructor(bytes = FIRST_BYTES) {
    this.#buffer = Buffer.allocUnsafe(bytes);
    this.#at = bytes;
  }

  /** Number of bytes written so far. */
  get size(): number {
    return this.#buffer.length - this.#at;
  }

  /** Returns all written bytes. The writer must not be used afterwards. */
  finish(): Buffer {
    const written = this.#buffer.subarray(this.#at);
    return written.length < LARGE_BYTES ? Buffer.from(written) : written;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#at -= 1;
    this.#buffer[this.#at] = value;
  }

  /** Writes an integer between 0 and 2^53. */
  varint(value: number): void {
    if (value < 0x80) return this.byte(value);
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
    this.#reserve(length);
    this.#at -= length;
    let rest = value;
    let to = this.#at;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#buffer[to] = (rest % 0x80) | 0x80;
      to += 1;
    }
    this.#buffer[to] = rest;
  }

  /** Writes a 64-bit integer. A negative integer takes ten bytes. */
  bigVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    for (const byte of bytes.reverse()) this.byte(byte);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Writes a string as UTF-8. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    const { length } = value;
    if (length <= SHORT_TEXT && this.#ascii(value, length)) return;
    const bytes = Buffer.byteLength(value);
    this.#reserve(bytes);
    this.#at -= bytes;
    this.#buffer.write(value, this.#at, bytes, 'utf8');
  }

  #ascii(value: string, length: number): boolean {
    this.#reserve(length);
    const start = this.#at - length;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#buffer[start + index] = code;
    }
    this.#at = start;
    return true;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
  }

  /**
   * Writes the length and the tag of a value that has already been written. `from` is the size before the
   * value was written.
   */
  wrap(tag: number, from: number): void {
    this.varint(this.size - from);
    this.varint(tag);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#at) return;
    const { size } = this;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, size + bytes));
    this.#buffer.copy(grown, grown.length - size, this.#at);
    this.#at = grown.length - size;
    this.#buffer = grown;
  }
}
