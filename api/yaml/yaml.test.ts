import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complaintOf } from './grammar.ts';
import { YamlSyntax, parseYaml, parseYamlStrictly, toYaml } from './yaml.ts';
import { readJson } from '../schema/exact-json.ts';

describe('parseYaml and toYaml', () => {
  it('read the words of YAML 1.1 as booleans and timestamps as strings', () => {
    expect(parseYaml('a: yes\nb: 2020-01-01\nc: "yes"\nd: 12:30:45\n')).toEqual({
      a: true,
      b: '2020-01-01',
      c: 'yes',
      d: '12:30:45',
    });
  });

  it('merge only mappings, and quote the string <<', () => {
    expect(parseYaml('a: &a {b: c}\nd:\n  <<: *a\n')).toEqual({ a: { b: 'c' }, d: { b: 'c' } });
    expect(() => parseYaml('a:\n  <<: ""\n')).toThrow(
      new YamlSyntax('map merge requires map or sequence of maps as the value'),
    );
    const value = { a: '<<', '<<': { '<<': ['<<'] } };
    expect(toYaml(value)).toBe('"<<":\n  "<<":\n  - "<<"\na: "<<"\n');
    expect(parseYaml(toYaml(value))).toEqual(value);
  });

  it('read a single point as a string, because field sets contain it as a key', () => {
    expect(toYaml({ '.': {}, a: '.', b: '.5', c: '5.' })).toBe('.: {}\na: .\nb: ".5"\nc: "5."\n');
    expect(parseYaml('.: {}\na: .\nb: .5\nc: 5.\n')).toEqual({ '.': {}, a: '.', b: 0.5, c: 5 });
  });

  it('read only the first of several documents', () => {
    expect(parseYaml('a: 1\n---\nb: 2\n')).toEqual({ a: 1 });
    expect(parseYaml(`--- # first\n&x a: 1\n...\n---\n${'['.repeat(20_000)}`)).toEqual({ a: 1 });
  });

  it.each<[string, (count: number) => string, number]>([
    ['entries', (count) => `&a b: c\nd:\n${'- e\n'.repeat(count)}`, 200_000 / 3],
    ['entries of a flow sequence', (count) => `a: &b [${'c,'.repeat(count)}]`, 200_000 / 2],
    ['empty lines', (count) => `a: &b c${'\n'.repeat(count)}`, 200_000],
    ['lines of a literal block', (count) => `a: &b |${'\n  c'.repeat(count)}`, 200_000],
  ])('reject more than 200,000 tokens and lines in the complete grammar: %s', (_name, textOf, limit) => {
    const read = (count: number) => () => parseYaml(textOf(Math.floor(count)));
    expect(read(limit * 0.99)).not.toThrow();
    expect(read(limit * 1.01)).toThrow(/exceeded max size of 200000 tokens and lines$/);
  });

  it('read any number of tokens in plain YAML', () => {
    expect(parseYaml(`---\nd:\n${'- e f\n'.repeat(300_000)}`)).toHaveProperty('d.length', 300_000);
    expect(parseYaml('\n'.repeat(300_000))).toBeNull();
  });

  it('read values nested 200 levels deep', () => {
    expect(parseYaml(`&x ${'['.repeat(200)}.5${']'.repeat(200)}`)).toHaveLength(1);
    expect(parseYaml(`&x\n${'- '.repeat(200)}12e3`)).toHaveLength(1);
  });

  it.each([
    ['a: [', 'line 1: did not find expected node content'],
    ['a: b: c', 'mapping values are not allowed in this context'],
    ['a:\n- b\n  c: d\n', 'line 3: mapping values are not allowed in this context'],
    ['a:\n  b: c\n d: e\n', 'line 2: did not find expected key'],
    ["a: 'x'y", 'did not find expected key'],
    ['- a\nb: c', "line 1: did not find expected '-' indicator"],
    ['a: - b', 'block sequence entries are not allowed in this context'],
    ['a: ?', 'mapping keys are not allowed in this context'],
    ['a: b\nc\n', "line 3: could not find expected ':'"],
    ['[a: b: c]', "did not find expected ',' or ']'"],
    ['a: {b: c\n', "line 1: did not find expected ',' or '}'"],
    ['a: "x\n', 'line 2: found unexpected end of stream'],
    ['a: "\\q"', 'found unknown escape character'],
    ['a: "\\xZZ"', 'did not find expected hexdecimal number'],
    ['a: "\\uD800"', 'found invalid Unicode character escape code'],
    ['a: @x', 'found character that cannot start any token'],
    ['a:\n\tb: c', 'line 2: found character that cannot start any token'],
    ['a: |\n\tx', 'line 2: found a tab character where an indentation space is expected'],
    ['a: b\n\tc: d', 'line 2: found a tab character that violates indentation'],
    ['a: |0\n x', 'found an indentation indicator equal to 0'],
    ['a: |x\n y', 'did not find expected comment or line break'],
    ['a: &', 'did not find expected alphabetic or numeric character'],
    ['a: &x b\nc: *y', "unknown anchor 'y' referenced"],
    ['a: !foo!bar x', 'found undefined tag handle'],
    ['a: !<x', "did not find the expected '>'"],
    ['%FOO\n---\na: b', 'found unknown directive name'],
    ['['.repeat(20_000), 'exceeded max depth of 250'],
    ['- '.repeat(20_000), 'exceeded max depth of 250'],
    ['{a: '.repeat(20_000), 'exceeded max depth of 250'],
  ])('reject %j with the message of Go', (text, complaint) => {
    expect(() => parseYaml(text)).toThrow(new YamlSyntax(complaint));
  });

  it.each([
    ['4e802', '4e802'],
    ['12e4567', '12e4567'],
    ['1e3', 1000],
    ['5e_8', 5e8],
    ['-e7', '-e7'],
    ['.e1', '.e1'],
    ['.1_', '.1_'],
    ['.7_10', 0.71],
    ['0o17', 15],
    ['-0O7', -7],
    ['017', 15],
    ['08', 8],
    ['0X1f', 31],
    ['0x_1F', 31],
    ['0B11', 3],
    ['0_', 0],
    ['+_1', 1],
    ['_1', '_1'],
    ['1_000', 1000],
    ['0xFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFF'],
    ['1:20', '1:20'],
    ['!!float 3', 3],
    ['!!binary aGVs bG8=', 'hello'],
  ])('read the scalar %s as Go does', (scalar, value) => {
    expect([parseYaml(`a: ${scalar}\n`), parseYaml(`a: &x ${scalar}\n`)]).toEqual([
      { a: value },
      { a: value },
    ]);
  });

  it.each(['0o17', '0X1f', '0B11', '0_'])('quote the string %s when writing it', (text) => {
    expect(toYaml({ a: text })).toBe(`a: "${text}"\n`);
  });

  it.each([
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['a: [-.INF]', 'json: unsupported value: -Inf'],
    ['- &x .nan', 'json: unsupported value: NaN'],
    ['~: a', 'Unsupported map key of type: %!s(<nil>), key: <nil>'],
    ['? \n: a', 'Unsupported map key of type: %!s(<nil>), key: <nil>'],
    ['a: "\\/"', 'found unknown escape character'],
    ['a: b\u0007', 'control characters are not allowed'],
    ['a: \ufffe', 'control characters are not allowed'],
    ['a: !!binary a=b', '!!binary value contains invalid base64 data'],
  ])('reject %j, which has no JSON form or is invalid in YAML 1.1', (text, complaint) => {
    expect(() => parseYaml(text)).toThrow(new YamlSyntax(complaint));
  });

  it.each([
    ['a: {b: c, d}', { a: { b: 'c', d: null } }],
    ['a: !x', { a: '' }],
    ['%TAG !e! tag:example.com,2000:\n---\na: !!str 1', { a: '1' }],
    ['? a\n: - b\n', { a: ['b'] }],
  ])('accept %j', (text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });

  it.each<[string, string[]]>([
    ['a: 1\nb: 2\n', []],
    ['a: 1\n"a":\n  b: 2\n', ['line 3: key "a" already set in map']],
    ['a: 1\na:\n# nothing\n', ['line 2: key "a" already set in map']],
    [
      'a: {b: 1,\n b: 2}\na: x\n',
      ['line 2: key "b" already set in map', 'line 3: key "a" already set in map'],
    ],
    ['- a: 1\n- a: 1\n  a: |\n    text\n', ['line 3: key "a" already set in map']],
    ['a: 1\na: &x\n  b: 1\n', ['line 2: key "a" already set in map']],
    ['1: a\n1: b\n"1": c\n', ['line 2: key 1 already set in map']],
    ['"a\\n": 1\n"a\\n": 2\n', ['line 2: key "a\\n" already set in map']],
    ['base: &b {x: 1}\nmore:\n  <<: *b\n  x: 2\n', []],
    ['{"a": 1,\n "a": 2}', ['line 2: key "a" already set in map']],
    [
      'a: 1\n'.repeat(500),
      Array.from({ length: 100 }, (_, at) => `line ${at + 2}: key "a" already set in map`),
    ],
  ])("report the repeated keys of %j with the messages of Go's strict parser", (text, repeatedKeys) => {
    expect(parseYamlStrictly(text)).toEqual({ value: parseYaml(text), repeatedKeys });
  });

  it('use the last value of a repeated key', () => {
    expect(parseYaml('a: 1\nb: 2\na: 3\n')).toEqual({ a: 3, b: 2 });
  });

  it('accept every JSON text, and return or throw YamlSyntax for any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:\n -?[]{},\'"|>#&*!%@\t\\') }), (text) => {
        try {
          parseYaml(text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(YamlSyntax);
        }
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(complaintOf(JSON.stringify(value, null, 1))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('never set the prototype of an object', () => {
    const value = parseYaml('__proto__: {polluted: true}\n') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });

  it('escape line ends and unprintable characters, so that Go reads the same value', () => {
    const value = { 'a\u2028b': 'c\u0085', d: 'e' };
    expect(toYaml(value)).toBe('"a\\u2028b": "c\\u0085"\nd: e\n');
    expect(parseYaml(toYaml(value))).toEqual(value);
  });

  it('reject a document that expands aliases exponentially', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
      .concat(
        [...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at] ?? ''},`.repeat(9)}]`),
      )
      .join('\n');
    expect(() => parseYaml(bomb)).toThrow();
  });

  it('write sorted keys, and read back every JSON value', () => {
    expect(toYaml({ b: [{ c: 1 }], a: '2020-01-01T00:00:00Z' })).toBe(
      'a: "2020-01-01T00:00:00Z"\nb:\n- c: 1\n',
    );
    const json = fc
      .jsonValue({ maxDepth: 4 })
      .filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(json, (value) => {
        const plain: unknown = readJson(JSON.stringify({ value }));
        expect(parseYaml(toYaml(plain))).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
