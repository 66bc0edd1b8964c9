import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenRules, complaints, undocumented } from './check-words.js';
import { comments, countWords, paragraphs, sentences, testNames } from './prose.js';

describe('the house style', () => {
  it('holds in every folder that is listed in words.json', () => expect(brokenRules()).toEqual([]));

  it.each([
    ['What is asked for.', "opening 'What'"],
    ['Whether it is due.', "opening 'Whether'"],
    ['Runs one pass.', "term 'one pass'"],
    ['Returns the key. Nobody waits for it.', "term 'Nobody'"],
  ])('rejects %s', (text, complaint) => {
    expect(complaints(text).join()).toContain(complaint);
  });

  it('accepts a noun phrase, code in backquotes and a line with a stated exception', () => {
    expect(complaints('Upper bound of `told` keys, in milliseconds.')).toEqual([]);
    expect(complaints('The file says "told". words-ok: quoted from a client')).toEqual([]);
  });

  it('limits the length of sentences only in doc comments', () => {
    const long = Array.from({ length: 31 }, () => 'word').join(' ');
    expect(complaints(long, { isDoc: true })).toEqual(['a sentence of 31 words: at most 30']);
    expect(complaints(long)).toEqual([]);
  });

  it('requires a doc comment only at the first declaration of an exported name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'words-'));
    const file = join(folder, 'sample.ts');
    writeFileSync(
      file,
      [
        '/** A value and its type. */\nexport const Both = 1;\nexport interface Both {}',
        'export const Neither = 1;\nexport interface Neither {}',
        '/** An overload. */\nexport function over(a: string): void;\nexport function over(a: number): void;',
      ].join('\n\n'),
    );
    const found = undocumented(file).map((each) => each.replace(/^.*: /, ''));
    rmSync(folder, { recursive: true });
    expect(found).toEqual(['Neither is exported without a doc comment']);
  });
});

describe('the parser of prose', () => {
  it('finds comments, and does not find text in a string, a template or a regular expression that looks like a comment', () => {
    const source = [
      '/** A doc comment\n * on two lines. */',
      "const url = 'https://a'; // after code",
      'const deep = `// ${ `/* ${x} */` } //`;',
      'const pattern = /\\/\\*[/*]/.test(a) && b / c / d;',
      '// first line',
      '// second line',
    ].join('\n');
    expect(comments(source).map(({ text }) => text)).toEqual([
      'A doc comment on two lines.',
      'after code',
      'first line second line',
    ]);
  });

  it('finds the names of tests, of groups and of tables', () => {
    const source = "describe('a queue', () => { it.each([[1, ')']])('adds %i', () => {}); });";
    expect(testNames(source).map(({ text }) => text)).toEqual(['a queue', 'adds %i']);
  });

  it('splits text into sentences and a page into its items, leaving code and tables out', () => {
    expect(sentences('It ends. `code` begins the next one.')).toHaveLength(2);
    expect(sentences('Reads `a.b. c`, e.g. one. Then two. See https://a.b/c.').map(countWords)).toEqual([
      4, 2, 2,
    ]);
    const page =
      '# Title\n\nOne line\nand more.\n\n- an item\n- another\n\n| a | b |\n\n```\ncode\n```\n\n1. a step:\n\n   ```\n   more code\n   ```\n';
    expect(paragraphs(page).map(({ text }) => text)).toEqual([
      'One line and more.',
      'an item',
      'another',
      'a step:',
    ]);
  });
});
