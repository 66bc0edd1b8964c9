import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineDecoder } from './watch-decoder.ts';

describe('createLineDecoder', () => {
  it('returns complete lines for any split of the bytes into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 12 }),
        fc.array(fc.nat(400), { maxLength: 40 }),
        fc.boolean(),
        (values, cuts, lastNewline) => {
          const text = values.map((value) => JSON.stringify({ é: '✓😀', value })).join('\n');
          const bytes = new TextEncoder().encode(lastNewline && values.length > 0 ? `${text}\n` : text);
          const decoder = createLineDecoder();
          const got: string[] = [];
          const at = [...cuts.map((cut) => Math.min(cut, bytes.length)), 0, bytes.length].sort(
            (a, b) => a - b,
          );
          for (let i = 1; i < at.length; i++) got.push(...decoder.push(bytes.subarray(at[i - 1], at[i])));
          const rest = decoder.rest();
          if (rest !== undefined) got.push(rest);
          expect(got).toEqual(values.map((value) => JSON.stringify({ é: '✓😀', value })));
        },
      ),
    );
  });

  it('throws only for a line above the limit, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
        const decoder = createLineDecoder();
        for (const chunk of chunks) decoder.push(chunk);
        decoder.rest();
      }),
    );
  });

  it('rejects a line above the limit before it is complete', () => {
    const decoder = createLineDecoder(10);
    decoder.push(new Uint8Array(10).fill(65));
    expect(() => decoder.push(new Uint8Array(1).fill(65))).toThrow(/longer than 10 bytes/);
  });

  it('copies a chunk, whose buffer the transport may reuse', () => {
    const chunk = new TextEncoder().encode('{"a"');
    const decoder = createLineDecoder();
    decoder.push(chunk);
    chunk.fill(0);
    expect(decoder.push(new TextEncoder().encode(':1}\n'))).toEqual(['{"a":1}']);
  });
});
