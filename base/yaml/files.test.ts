import { describe, expect, it } from 'vitest';
import { YamlFileError, parseYamlDocuments, parseYamlFile } from './files.ts';

const bomb = `a: &a [x, x]\n${Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`}, `.repeat(9)}]`).join('\n')}\n`;
const keep = (_key: unknown, value: unknown): unknown => value;

describe.each([
  ['parseYamlFile', (text: string): unknown => parseYamlFile(text)],
  ['parseYamlDocuments', (text: string): unknown => parseYamlDocuments(text, keep)],
])('%s', (_, read) => {
  it.each([
    ['an open list', 'token: [secret\n', 'is neither YAML nor JSON (line 2, column 1)'],
    ['a repeated key', 'a: secret\na: secret\n', 'is neither YAML nor JSON (line 2, column 1)'],
    [
      'an unknown alias',
      'a: *secret\n',
      /^is neither YAML nor JSON \((line 1, column 4|too many aliases)\)$/,
    ],
    ['aliases of aliases', bomb, 'is neither YAML nor JSON (too many aliases)'],
  ])('names the place of %s and quotes nothing', (_what, text, message) => {
    const failure = (() => {
      try {
        return read(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(failure).toBeInstanceOf(YamlFileError);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toContain('secret');
  });
});

it('parseYamlFile reads YAML and JSON', () => {
  expect([parseYamlFile('a: [1]'), parseYamlFile('{"a": [1]}'), parseYamlFile('')]).toEqual([
    { a: [1] },
    { a: [1] },
    null,
  ]);
});

it('parseYamlDocuments omits empty documents and reads integers exactly', () => {
  expect(parseYamlDocuments('a: 9007199254740993\n---\n---\nb: 1\n', keep)).toEqual([
    { a: 9007199254740993n },
    { b: 1n },
  ]);
});
