import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff.ts';

const line = fc.constantFrom('', 'a', 'b', '  c: 1', '- d');
const text = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => `${lines.join('\n')}\n`);

const without = (sign: string, before: string, after: string): string =>
  `${diffLines(before, after)
    .filter((each) => each.sign !== sign)
    .map((each) => each.text)
    .join('\n')}\n`;

describe('diffLines', () => {
  it('contains the lines of both texts in order', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(without('+', before, after)).toBe(before);
        expect(without('-', before, after)).toBe(after);
      }),
    );
  });

  it('marks no line of two equal texts, with or without a final line end', () => {
    expect(diffLines('a\nb\n', 'a\nb').map(({ sign }) => sign)).toEqual([' ', ' ']);
  });

  it('returns all lines as removed and added if there are many changes, without comparing every pair of lines', () => {
    const textOf = (prefix: string): string => `same\n${`${prefix}\n`.repeat(20_000)}`;
    const lines = diffLines(textOf('old'), textOf('new'));
    expect(lines).toHaveLength(40_002);
    expect(lines[0]).toEqual({ sign: '-', text: 'same' });
    expect(lines.at(-1)).toEqual({ sign: '+', text: 'new' });
  }, 5_000);
});
