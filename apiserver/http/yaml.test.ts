import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { YamlSyntax, parseYaml, toYaml } from './yaml.ts';

describe('YAML', () => {
  it('reads 1.1 words as booleans and leaves timestamps text', () => {
    expect(parseYaml('a: yes\nb: 2020-01-01\nc: "yes"\nd: 12:30:45\n')).toEqual({
      a: true,
      b: '2020-01-01',
      c: 'yes',
      d: '12:30:45',
    });
  });

  it('takes a point for a key and not for a number, as it stands in every field set', () => {
    expect(toYaml({ '.': {}, a: '.', b: '.5', c: '5.' })).toBe('.: {}\na: .\nb: ".5"\nc: "5."\n');
    expect(parseYaml('.: {}\na: .\nb: .5\nc: 5.\n')).toEqual({ '.': {}, a: '.', b: 0.5, c: 5 });
  });

  it('reads the first document of several', () => {
    expect(parseYaml('a: 1\n---\nb: 2\n')).toEqual({ a: 1 });
  });

  it('refuses what is no YAML', () => {
    expect(() => parseYaml('a: [')).toThrow(YamlSyntax);
  });

  it('never lets a key reach the prototype', () => {
    const value = parseYaml('__proto__: {polluted: true}\n') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });

  it('refuses to blow up aliases', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
      .concat(
        [...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at] ?? ''},`.repeat(9)}]`),
      )
      .join('\n');
    expect(() => parseYaml(bomb)).toThrow();
  });

  it('writes sorted keys and gives every JSON value back', () => {
    expect(toYaml({ b: [{ c: 1 }], a: '2020-01-01T00:00:00Z' })).toBe(
      'a: "2020-01-01T00:00:00Z"\nb:\n- c: 1\n',
    );
    const json = fc
      .jsonValue({ maxDepth: 4 })
      .filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(json, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify({ value }));
        expect(parseYaml(toYaml(plain))).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
