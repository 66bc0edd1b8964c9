/** Spaces between two columns, as in kubectl. */
const GAP = 3;

/**
 * Creates a writer of lines with aligned columns. Later calls keep the widths of earlier ones, so that the lines
 * of a watch stay aligned.
 */
export function createColumnWriter(): (lines: readonly (readonly string[])[]) => string {
  const widths: number[] = [];
  return (lines) => {
    for (const line of lines)
      for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
    return lines
      .map((line) => `${line.map((cell, at) => padded(cell, at, line.length, widths)).join('')}\n`)
      .join('');
  };
}

function padded(cell: string, at: number, count: number, widths: readonly number[]): string {
  // The last column has no padding, so that lines have no trailing spaces.
  return at === count - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell) + GAP);
}

/** Number of characters; a character outside the basic plane counts once. */
const widthOf = (text: string): number => [...text].length;
