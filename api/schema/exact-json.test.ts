import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integerOf, readJson, writeJson } from './exact-json.ts';

describe('readJson and writeJson', () => {
  it.each([
    ['the largest 64-bit integer', '9223372036854775807', 9223372036854775807n],
    ['the least 64-bit integer', '-9223372036854775808', -9223372036854775808n],
    ['the smallest unsafe integer', '9007199254740992', 9007199254740992n],
    ['the largest safe integer', '9007199254740991', 9007199254740991],
    ['an integer beyond 64 bits', '9223372036854775808', 2 ** 63],
    ['a long number with a fraction', '9007199254740993.0', 9007199254740992],
    ['a long number with an exponent', '9007199254740993e0', 9007199254740992],
    ['a number with a long fraction', '1.12345678901234567', Number('1.12345678901234567')],
    ['digits within a string', '"9223372036854775807"', '9223372036854775807'],
    [
      'integers within a list and a map',
      '[{"a":9007199254740993},9007199254740995]',
      [{ a: 9007199254740993n }, 9007199254740995n],
    ],
    ['an integer after a string with quotes', '["\\"\\\\",9007199254740993]', ['"\\', 9007199254740993n]],
  ])('read %s', (_what, text, value) => {
    expect(readJson(text)).toStrictEqual(value);
  });

  it('keep a key named like an inherited member', () => {
    const text = '{"__proto__":9007199254740993,"12345678901234567890":1}';
    expect(writeJson(readJson(text))).toBe(text);
  });

  it.each(['[9007199254740993', '[09007199254740993]', '[-]9007199254740993', '{"a":9007199254740993,}'])(
    'reject %s',
    (text) => {
      expect(() => readJson(text)).toThrow(SyntaxError);
    },
  );

  it('round-trip between text and value', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        integer.map((each) => integerOf(String(each))),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (each) => {
        expect(readJson(writeJson(each))).toStrictEqual(each);
      }),
    );
    fc.assert(
      fc.property(integer, (each) => {
        expect(writeJson(readJson(`[${each}]`))).toBe(`[${each}]`);
      }),
    );
  });

  it('apply the indentation and replacer they receive', () => {
    const doubled = (_key: string, each: unknown): unknown => (each === 'a' ? 9007199254740993n : each);
    expect(writeJson({ x: 'a', y: 2n ** 60n }, doubled, 1)).toBe(
      '{\n "x": 9007199254740993,\n "y": 1152921504606846976\n}',
    );
  });

  it('distinguish strings from numbers', () => {
    expect(writeJson(['"\\ud8001', '\\ud8001', 2n ** 60n])).toBe(
      String.raw`["\"\\ud8001","\\ud8001",1152921504606846976]`,
    );
  });

  it('rethrow the error for a value that cannot be written', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => writeJson(circle)).toThrow(TypeError);
  });
});
