import { describe, expect, it } from 'vitest';
import { leastProcessorMs } from '../../test/processor-time.ts';
import { parsePem, toPem } from './pem.ts';

describe('PEM', () => {
  it('is found between other text up to the last complete block', () => {
    const [one, two] = [toPem('A', Buffer.from('x')), toPem('B C', Buffer.from('y'))];
    const blocks = parsePem(`before\n${one}between\n${two}-----BEGIN A-----\nnever ends`);
    expect(blocks.map(({ label, der }) => [label, der.toString()])).toEqual([
      ['A', 'x'],
      ['B C', 'y'],
    ]);
    expect(parsePem('-----BEGIN A-----\n')).toEqual([]);
  });

  it.each([
    ['never end', '-----BEGIN A-----\n'],
    ['have an incomplete end line', '-----BEGIN A-----\n-----END \n'],
  ])('is parsed in linear time if blocks %s', (_how, text) => {
    const long = text.repeat(60_000);
    expect(leastProcessorMs(3_000, () => expect(parsePem(long)).toEqual([]))).toBeLessThan(3_000);
  });
});
