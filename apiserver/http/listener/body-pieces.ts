/**
 * Size, in bytes, of the pieces in which large bodies are written. It bounds the encrypted data buffered for
 * a slow peer.
 */
const PIECE = 512 * 1024;
/** Maximum size, in bytes, of a body that is sent in one write. */
export const SMALL = 64 * 1024;
/** The empty body. */
export const NOTHING = new Uint8Array();

/** Returns the first `length` bytes, or fewer if the stream ends earlier. */
export async function firstBytes(chunks: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let missing = length;
  if (missing > 0)
    for await (const chunk of chunks) {
      read.push(chunk.subarray(0, missing));
      missing -= chunk.length;
      if (missing <= 0) break;
    }
  return Buffer.concat(read);
}

/** Returns the next piece to write: a chunk, part of a very large chunk, or several small chunks joined. */
export function pieceOf(
  chunks: readonly Uint8Array[],
  at: number,
  start: number,
): { piece: Uint8Array; next: number; nextStart: number } {
  const first = chunks[at] ?? NOTHING;
  // A chunk smaller than two pieces is sent whole: nothing is copied, and no small remainder is left.
  if (first.length - start >= PIECE * 2)
    return { piece: first.subarray(start, start + PIECE), next: at, nextStart: start + PIECE };
  const parts = [start === 0 ? first : first.subarray(start)];
  let length = first.length - start;
  let next = at + 1;
  for (; next < chunks.length; next++) {
    const chunk = chunks[next] ?? NOTHING;
    if (length + chunk.length > SMALL) break;
    parts.push(chunk);
    length += chunk.length;
  }
  return {
    piece: parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts, length),
    next,
    nextStart: 0,
  };
}
