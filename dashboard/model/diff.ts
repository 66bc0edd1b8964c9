import { diffLines as compareLines } from 'diff';

/** A line of a diff: a removed line, an added line, or a line of both texts. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Maximum number of removed and added lines that are matched. The cost grows with the square of this number,
 * so thousands of changed lines would block the page for seconds.
 */
const MAX_CHANGES = 1_000;

/** Compares two texts line by line. With more than `MAX_CHANGES` changes, all lines are removed and added. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const parts = compareLines(ended(before), ended(after), { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return [...linesOf(before, '-'), ...linesOf(after, '+')];
  return parts.flatMap(({ value, removed, added }) => linesOf(value, removed ? '-' : added ? '+' : ' '));
}

/** Returns the text with a line end at its end, because a missing line end would be a difference. */
const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const linesOf = (text: string, sign: DiffLine['sign']): readonly DiffLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ sign, text: line }));
