import { ClientError } from './client-error.ts';

const NEWLINE = 0x0a;

/** The longest watch event taken by default: well above the largest object a server stores. */
const LONGEST_EVENT_BYTES = 32 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines, wherever the chunks begin and end. Text is decoded a whole line at a time, so a
 * character is never torn.
 */
export interface LineDecoder {
  /** The lines that `chunk` completes; empty ones are left out. */
  push(chunk: Uint8Array): string[];
  /** What is left when the stream has ended: a last line without its newline, or undefined. */
  rest(): string | undefined;
}

/** Throws `ERR_PROTOCOL` for a line longer than `limitBytes`. */
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
      // Copied: a transport may reuse its buffer once the chunk was handled.
      if (from < chunk.length) hold(chunk.slice(from));
      return lines;
    },
    rest() {
      const line = take();
      return line === '' ? undefined : line;
    },
  };
}
