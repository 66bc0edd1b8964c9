/** A line of a diff: removed, added, or in both texts. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Changed parts longer than this are replaced as a whole, because the table has a cell for each pair of lines. */
const MOST_LINES = 3_000;

/** Compares two texts by the longest common subsequence of their lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n');

function changed(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  if (a.length > MOST_LINES || b.length > MOST_LINES)
    return [
      ...a.map((text) => ({ sign: '-', text }) as const),
      ...b.map((text) => ({ sign: '+', text }) as const),
    ];
  const common = commonLengths(a, b);
  const at = (i: number, j: number): number => common[i * (b.length + 1) + j] ?? 0;
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: left });
      i++;
    } else {
      lines.push({ sign: '+', text: right ?? '' });
      j++;
    }
  }
  return lines;
}

/** Returns, for each pair of positions, the length of the longest common subsequence of the remaining lines. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] =
        a[i] === b[j]
          ? 1 + (table[(i + 1) * width + j + 1] ?? 0)
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
  return table;
}
