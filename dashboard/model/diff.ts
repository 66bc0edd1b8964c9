import { diffLines as compareLines } from 'diff';

/** A line of a diff, which is removed, added, or in both texts. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Number of removed and added lines up to which they are matched. The cost grows with its square, so that
 * thousands of changed lines would block the page for seconds.
 */
const MAX_CHANGES = 1_000;

/** Compares two texts line by line. Presents texts with more than 1,000 changes as replaced as a whole. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const parts = compareLines(ended(before), ended(after), { maxEditLength: MAX_CHANGES });
  if (parts === undefined) return [...linesOf(before, '-'), ...linesOf(after, '+')];
  return parts.flatMap(({ value, removed, added }) => linesOf(value, removed ? '-' : added ? '+' : ' '));
}

/** Ends the last line, because a missing end would be a difference. */
const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const linesOf = (text: string, sign: DiffLine['sign']): readonly DiffLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ sign, text: line }));
