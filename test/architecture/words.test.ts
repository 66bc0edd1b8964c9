import { describe, expect, it } from 'vitest';
import { brokenRules, complaints } from './check-words.js';
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

  it('limits the length of sentences in doc comments alone', () => {
    const long = Array.from({ length: 31 }, () => 'word').join(' ');
    expect(complaints(long, { isDoc: true })).toEqual(['a sentence of 31 words: at most 30']);
    expect(complaints(long)).toEqual([]);
  });
});

describe('the reader of prose', () => {
  it('finds comments, and nothing that looks like one in a string, a template or a regular expression', () => {
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
