import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readJson, writeJson } from '../schema/exact-json.ts';
import { parseWholeYaml, parseYaml, toYaml } from './yaml.ts';

describe('YamlWriter', () => {
  it('writes blocks, literals and quotes as the yaml package does', () => {
    const value = {
      apiVersion: 'v1',
      empty: [{}, [], '', null, true],
      images: [
        'a/b:1.2',
        'c@sha256:0',
        'd e',
        'f: g',
        "it's",
        'say "x"',
        '# h',
        'i #j',
        '-',
        '- k',
        '0x1',
        '1e3',
      ],
      nested: [[1, [2.5, -3]], { a: { b: ['c'] }, d: 'e' }],
      script: '#!/bin/sh\n  echo\n\ndone\n',
      stripped: 'a\nb',
      'key: with colon': 9007199254740993n,
      yes: 'no',
    };
    expect(toYaml(value)).toBe(
      stringify(value, { version: '1.1', sortMapEntries: true, indentSeq: false, lineWidth: 0 }),
    );
  });

  it('writes strings that both parsers read back as the same value', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ab0:-?#"\'[]{}&*!|>%@`,.~=<_ \n\t\r\\\u0085\u0007é'),
      maxLength: 8,
    });
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, 'null', 'yes', '1_0', '---', '...', '<<', '0o7', '2020-01-01'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (each) => {
        const document = { value: each };
        const normal: unknown = readJson(writeJson(document));
        expect(parseYaml(toYaml(document))).toEqual(normal);
        expect(parseWholeYaml(toYaml(document))).toEqual(normal);
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes a question mark before a long key', () => {
    const value = { a: { ['k'.repeat(2_000)]: { b: 1 }, z: 2 } };
    expect(parseWholeYaml(toYaml(value))).toEqual(value);
  });
});
