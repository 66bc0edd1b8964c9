import { ClientError } from './client-error.ts';

const NEWLINE = 0x0a;

/** Default maximum size of a watch event in bytes, well above the size of the largest stored object. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/**
 * Decoder of a byte stream into lines. Bytes are decoded only once their line is complete, so that no
 * character is split between chunks.
 */
export interface LineDecoder {
  /** Returns the lines that `chunk` completes, without empty lines. */
  push(chunk: Uint8Array): string[];
  /** Returns the bytes after the last newline as a line, or undefined if there are none. */
  rest(): string | undefined;
}

/** Creates a line decoder. `push` and `rest` throw `ERR_PROTOCOL` for a line longer than `limitBytes`. */
export function createLineDecoder(limitBytes: number = MAX_EVENT_BYTES): LineDecoder {
  const decoder = new TextDecoder('utf-8');
  let parts: Uint8Array[] = [];
  let heldBytes = 0;

  const hold = (part: Uint8Array): void => {
    heldBytes += part.length;
    if (heldBytes > limitBytes)
      throw new ClientError('ERR_PROTOCOL', `watch event is longer than ${limitBytes} bytes`);
    if (part.length > 0) parts.push(part);
  };
  const take = (): string => {
    const only = parts.length === 1 ? parts[0] : undefined;
    const line = decoder.decode(only ?? Buffer.concat(parts)).trim();
    parts = [];
    heldBytes = 0;
    return line;
  };

  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, at));
        const line = take();
        if (line !== '') lines.push(line);
        from = at + 1;
      }
      // Copied, because the transport may reuse its buffer.
      if (from < chunk.length) hold(chunk.slice(from));
      return lines;
    },
    rest() {
      const line = take();
      return line === '' ? undefined : line;
    },
  };
}
