import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameSplitter, readEvent } from './watch-frames.ts';

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

describe('the frames of a watch', () => {
  it('do not depend on the chunks in which bytes arrive', () => {
    const objects = fc.array(fc.record({ type: fc.constantFrom('ADDED', 'BOOKMARK'), object: fc.object() }));
    fc.assert(
      fc.property(objects, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (events, sizes) => {
        const bytes = Buffer.from(events.map(line).join(''));
        const splitter = createFrameSplitter();
        const frames: string[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          frames.push(
            ...splitter.push(bytes.subarray(at, at + size)).map((each) => Buffer.from(each).toString()),
          );
          at += size;
        }
        expect(frames).toEqual(events.map(line));
        expect(splitter.rest()).toHaveLength(0);
      }),
      { numRuns: 60 },
    );
  });

  it('are parsed as events, or undefined if they are not', () => {
    const object = { metadata: { namespace: 'n', name: 'x' } };
    expect(readEvent(Buffer.from(line({ type: 'DELETED', object })))).toEqual({
      type: 'DELETED',
      namespace: 'n',
      name: 'x',
    });
    expect(readEvent(Buffer.from(line({ type: 'BOOKMARK', object: { metadata: {} } })))).toEqual({
      type: 'BOOKMARK',
      namespace: '',
      name: '',
    });
    for (const other of ['{"type":"OTHER"}\n', '[]\n', 'null\n', '{"type":\n'])
      expect(readEvent(Buffer.from(other)), other).toBeUndefined();
  });
});
