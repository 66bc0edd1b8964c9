import { ClientError } from './client-error.ts';

const NEWLINE = 0x0a;

/** Default limit of a watch event in bytes, well above the largest stored object. */
const LONGEST_EVENT_BYTES = 32 * 1024 * 1024;

/**
 * Splits a stream of bytes into lines. Whole lines are decoded, so that no character is split between chunks.
 */
export interface LineDecoder {
  /** Returns the lines completed by `chunk`, without empty ones. */
  push(chunk: Uint8Array): string[];
  /** Returns the last line without a newline at the end of the stream, or undefined. */
  rest(): string | undefined;
}

/** Creates a decoder; `push` throws `ERR_PROTOCOL` for a line longer than `limitBytes`. */
export function createLineDecoder(limitBytes: number = LONGEST_EVENT_BYTES): LineDecoder {
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
      // Copied, because a transport may reuse its buffer.
      if (from < chunk.length) hold(chunk.slice(from));
      return lines;
    },
    rest() {
      const line = take();
      return line === '' ? undefined : line;
    },
  };
}
