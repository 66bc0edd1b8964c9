const FIRST_BYTES = 2048;
/** From here on a copy costs more than the unused part of the buffer. */
const LARGE_BYTES = 64 * 1024;
/** Up to here, writing character by character is faster than a call into the runtime. */
const SHORT_TEXT = 48;

/**
 * Writes a message from its end to its beginning, as the real system's encoder does: when the length of a nested message
 * is due, the message is already there.
 */
export class BackwardWriter {
  #buffer: Buffer;
  #at: number;

  /** Room for `bytes` bytes; it grows when that is too little. */
  constructor(bytes = FIRST_BYTES) {
    this.#buffer = Buffer.allocUnsafe(bytes);
    this.#at = bytes;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#buffer.length - this.#at;
  }

  /** All that was written; the writer is done. */
  finish(): Buffer {
    const written = this.#buffer.subarray(this.#at);
    return written.length < LARGE_BYTES ? Buffer.from(written) : written;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#at -= 1;
    this.#buffer[this.#at] = value;
  }

  /** A whole number from zero to 2^53. */
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

  /** A whole number of 64 bits; negative ones take ten bytes. */
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

  /** UTF-8; half a surrogate pair becomes U+FFFD. */
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

  /** Ends (that is, begins) a value of which `from` bytes came after it: its length, then its tag. */
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
