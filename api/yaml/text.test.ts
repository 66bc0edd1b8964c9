import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toYaml, YamlSyntax, parseYaml, parseYamlStrictly } from './yaml.ts';
import { yamlTextOf } from './text.ts';

const MARK = '\ufeff';

describe('the decoder of YAML bodies', () => {
  it.each([
    ['UTF-8', (text: string) => Buffer.from(MARK + text)],
    ['UTF-16, little endian', (text: string) => Buffer.from(MARK + text, 'utf16le')],
    ['UTF-16, big endian', (text: string) => Buffer.from(MARK + text, 'utf16le').swap16()],
    ['UTF-8 without a byte order mark', (text: string) => Buffer.from(text)],
  ])('detects the encoding by the byte order mark: %s', (_name, encode) => {
    const text = 'a: "é😀"\nb: [1]\n';
    expect(parseYaml(yamlTextOf(encode(text)))).toEqual({ a: 'é😀', b: [1] });
    expect(parseYaml(yamlTextOf(encode('{"a": "é"}')))).toEqual({ a: 'é' });
  });

  it('accepts a byte order mark that is already decoded', () => {
    expect(parseYaml(`${MARK}a: 1\n`)).toEqual({ a: 1 });
    expect(parseYamlStrictly(`${MARK}a: 1\na: 2\n`)).toEqual({
      value: { a: 2 },
      repeatedKeys: ['line 2: key "a" already set in map'],
    });
  });

  it.each([
    [`a: x${MARK}y`, `x${MARK}y`],
    [`a: "${MARK}"`, MARK],
    [`a: '${MARK}y'`, `${MARK}y`],
    [`a: |\n  x${MARK}\n`, `x${MARK}\n`],
  ])('preserves a byte order mark inside a value: %j', (text, a) => {
    expect(parseYaml(text)).toEqual({ a });
  });

  const breaks = ['\n', '\r', '\r\n', '\u0085'];
  it.each(breaks)('accepts the line ending %j', (lineEnd) => {
    const lines = ['a:', '- b: "x', '    y"', '- |', '  one', '  two', '# no', 'c: plain', '  more', ''];
    expect(parseYaml(lines.join(lineEnd))).toEqual({
      a: [{ b: 'x y' }, 'one\ntwo\n'],
      c: 'plain more',
    });
  });

  it('returns the same value for any line ending', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...breaks), (value, lineEnd) => {
        const text = toYaml(value);
        expect(parseYaml(MARK + text.replaceAll('\n', lineEnd))).toEqual(parseYaml(text));
      }),
    );
  });
});

describe('the merge key `<<`', () => {
  it.each([
    ['{b: 9, <<: {b: 2}}', { b: 2 }],
    ['{<<: {b: 2}, b: 9}', { b: 9 }],
    ['{b: 9, <<: {b: 2, c: 3}, c: 4}', { b: 2, c: 4 }],
    ['{b: 9, <<: [{b: 1}, {b: 2, c: 3}]}', { b: 1, c: 3 }],
    ['{a: &a {b: 1}, c: {b: 2, <<: *a}}', { a: { b: 1 }, c: { b: 1 } }],
    ['{a: &a {b: 1, <<: {b: 2}}, c: {<<: [*a]}}', { a: { b: 2 }, c: { b: 2 } }],
    ['{b: 9, "<<": {b: 2}}', { b: 9, '<<': { b: 2 } }],
  ])('adds members at its position: %s', (text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });
});

describe('an alias within its own anchor', () => {
  it.each([
    'spec: &a {any: {b: *a}}',
    '&a [*a]',
    '&a {b: &c [*a]}',
    'a: &a {b: 1}\nc: &a\n  d: [*a]\n',
    '&a {<<: *a}',
  ])("is rejected with Go's message: %s", (text) => {
    expect(() => parseYaml(text)).toThrow(new YamlSyntax("anchor 'a' value contains itself"));
  });

  it('is accepted after the end of the anchor or for another anchor of the same name', () => {
    expect(parseYaml('{a: &a {b: 1}, c: [*a, *a]}')).toEqual({ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] });
    expect(parseYaml('&a {b: &a {c: 1}, d: *a}')).toEqual({ b: { c: 1 }, d: { c: 1 } });
  });
});
