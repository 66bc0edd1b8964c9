import { describe, expect, it } from 'vitest';
import { WorkBudget, charged } from '../../base/budget/work-budget.ts';
import { PatternError, compilePattern } from './pattern.ts';

describe('compilePattern', () => {
  it.each([
    ['^[a-z]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b'], ['', 'A', 'a-']],
    ['b+', ['abc', 'b'], ['ac']],
    ['^(?:a|bc){2,3}$', ['abc', 'aaa', 'bcbc'], ['a', 'aaaa']],
    ['(?i)^abc$', ['ABC', 'abc'], ['abd']],
    ['^\\d{4}-\\d\\d$', ['2024-01'], ['24-01']],
    ['^[^/\\s]+$', ['ab'], ['a b', 'a/b', '']],
    ['^\\p{L}+$', ['aé'], ['a1']],
    ['^[[:alpha:]_.-]+$', ['a_b.-'], ['a1']],
    ['\\bfoo\\b', ['a foo b'], ['food']],
    ['^$|^x$', ['', 'x'], ['xx']],
    ['^.$', ['😀'], ['', 'ab']],
  ])('matches with %s the same strings as RE2', (source, matching, others) => {
    const pattern = compilePattern(source);
    expect(matching.filter((text) => !pattern.test(text))).toEqual([]);
    expect(others.filter((text) => pattern.test(text))).toEqual([]);
  });

  it.each([
    ['(a', 'missing closing ): `(a`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
  ])('rejects %s with the message of Go', (source, why) => {
    expect(() => compilePattern(source)).toThrow(new PatternError(why));
  });

  it('matches in linear time patterns that make backtracking engines slow', () => {
    expect(compilePattern('^(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false);
    expect(compilePattern('^(a|aa)*c').test('a'.repeat(20_000))).toBe(false);
  });

  it.each<[string, () => unknown]>([
    ['a long pattern', () => compilePattern('[a-z]'.repeat(60_000))],
    ['a character class of many parts', () => compilePattern(`[${'a-z'.repeat(90_000)}]`)],
    ['a long string', () => compilePattern('^(a|b)*c').test('a'.repeat(300_000))],
    [
      'a string matched against a character class of many parts',
      () => compilePattern(`^[${'b-z'.repeat(2_000)}a]*$`).test('a'.repeat(9_000)),
    ],
  ])('charges %s to the work budget', (_, work) => {
    expect(() => charged(new WorkBudget(), work)).toThrow(
      expect.objectContaining({ code: expect.any(String) as string }) as Error,
    );
  });
});
