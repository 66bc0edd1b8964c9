import { describe, expect, it } from 'vitest';
import { list, text, toggle } from '../flags/flags.ts';
import { countLeadingFlags, readCommandLine } from './command-line.ts';

const table = {
  namespace: text('', 'namespace'),
  filename: list([], 'files'),
  output: text('table', 'form'),
  'all-namespaces': toggle(false, 'all'),
};
const read = (...argv: readonly string[]) => readCommandLine(table, argv);

describe('readCommandLine', () => {
  it.each([
    [['pods', '-n', 'a'], ['pods'], { namespace: 'a' }],
    [['-n', 'a', 'pods', 'x'], ['pods', 'x'], { namespace: 'a' }],
    [['-na', 'pods'], ['pods'], { namespace: 'a' }],
    [['-n=a', 'pods'], ['pods'], { namespace: 'a' }],
    [['pods', '--namespace=a'], ['pods'], { namespace: 'a' }],
    [['pods', '-A', 'x'], ['pods', 'x'], { 'all-namespaces': true }],
    [['-f', '-'], [], { filename: ['-'] }],
    [['-f', 'a', '-f', 'b,c'], [], { filename: ['a', 'b', 'c'] }],
    [['-oyaml', 'pods'], ['pods'], { output: 'yaml' }],
    [['pods', '--', '-n', '--x'], ['pods', '-n', '--x'], {}],
  ])('parses %j as the words %j and the flags %j', (argv, words, flags) => {
    expect(read(...argv)).toEqual({
      words,
      flags: { namespace: '', filename: [], output: 'table', 'all-namespaces': false, ...flags },
    });
  });

  it.each([
    [['--nope'], 'unknown flag --nope'],
    [['pods', '-n'], '--namespace needs a value'],
    [['-A=perhaps'], 'expected true or false'],
  ])('rejects the arguments %j', (argv, why) => {
    expect(() => read(...argv)).toThrow(why);
  });
});

describe('countLeadingFlags', () => {
  it.each([
    [['get', '-n', 'a'], 0],
    [['-n', 'a', 'get', 'pods'], 2],
    [['-na', '--output=yaml', '-A', 'get'], 3],
    [['--nope', 'get'], 1],
    [['-n'], 1],
    [['--', 'get'], 0],
    [[], 0],
  ])('counts, for %j, %i leading arguments', (argv, count) => {
    expect(countLeadingFlags(table, argv)).toBe(count);
  });
});
