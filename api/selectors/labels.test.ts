import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EVERYTHING,
  LabelSelectorError,
  NOTHING,
  fromLabelSelector,
  fromLabels,
  parseLabelSelector,
} from './labels.ts';

describe('parseLabelSelector', () => {
  it.each([
    ['tier=web', 'tier=web'],
    ['tier == web', 'tier==web'],
    ['tier!=web', 'tier!=web'],
    ['tier in (b, a)', 'tier in (a,b)'],
    ['tier notin (a,,b)', 'tier notin (,a,b)'],
    ['z,!a', '!a,z'],
    ['size>3,size<9', 'size>3,size<9'],
    ['example.com/tier', 'example.com/tier'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['tier=,x', 'tier=,x'],
  ])('reads %j as %j', (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['a=1', { a: '1' }, true],
    ['a=1', {}, false],
    ['a!=1', {}, true],
    ['a in (1,2)', { a: '2' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a notin (1,2)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>9', { a: '10' }, true],
    ['a>9', { a: 'ten' }, false],
    ['a<9', {}, false],
    ['a>9223372036854775806', { a: '9223372036854775807' }, true],
    ['toString', {}, false],
  ])('matches the selector %s with the labels %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it('selects everything if the selector is empty', () => {
    expect(parseLabelSelector('  ')).toBe(EVERYTHING);
    expect(EVERYTHING.empty).toBe(true);
    expect(EVERYTHING.matches(undefined)).toBe(true);
  });

  it.each([
    ['a=1,', "found '', expected: identifier after ','"],
    ['a=1 b=2', "found 'b', expected: ',' or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a is 1', "unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in 1', "unable to parse requirement: found '1' expected: '('"],
    ['a in (1', "unable to parse requirement: found '', expected: ',' or ')'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a==b==c', "found '==', expected: ',' or 'end of string'"],
  ])('rejects %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new LabelSelectorError(message));
  });

  it('names the invalid key or value in its error', () => {
    expect(() => parseLabelSelector('-a=b')).toThrow(
      /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/,
    );
    expect(() => parseLabelSelector('a=b!')).toThrow("found '!', expected: ',' or 'end of string'");
    expect(() => parseLabelSelector('a=b/c')).toThrow(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "b\/c": a valid label must be/,
    );
    expect(() => parseLabelSelector(`a=${'x'.repeat(64)}`)).toThrow(/: must be no more than 63 characters$/);
  });

  it('parses any text to a selector that round-trips, or throws a LabelSelectorError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'in', 'notin', ...'=!<>(), 1-') }), (text) => {
        try {
          const canonical = parseLabelSelector(text).toString();
          expect(parseLabelSelector(canonical).toString()).toBe(canonical);
        } catch (error) {
          expect(error).toBeInstanceOf(LabelSelectorError);
        }
      }),
    );
  });

  it('rejects a long run of symbols in linear time', () => {
    expect(() => parseLabelSelector('='.repeat(200_000))).toThrow(LabelSelectorError);
    expect(parseLabelSelector(`a in (${','.repeat(200_001)})`).toString()).toBe('a in ()');
  });
});

describe('fromLabelSelector', () => {
  it('selects nothing for an absent selector and everything for an empty selector', () => {
    expect(fromLabelSelector(undefined)).toBe(NOTHING);
    expect(NOTHING.matches({})).toBe(false);
    expect(NOTHING.nothing).toBe(true);
    expect(fromLabelSelector({})).toBe(EVERYTHING);
  });

  it('combines labels and expressions', () => {
    const selector = fromLabelSelector({
      matchLabels: { tier: 'web' },
      matchExpressions: [
        { key: 'env', operator: 'NotIn', values: ['test', 'dev'] },
        { key: 'canary', operator: 'DoesNotExist' },
        { key: 'zone', operator: 'Exists' },
        { key: 'size', operator: 'In', values: ['s'] },
      ],
    });
    expect(selector.toString()).toBe('!canary,env notin (dev,test),size in (s),tier=web,zone');
    expect(selector.matches({ tier: 'web', zone: '', size: 's' })).toBe(true);
    expect(selector.matches({ tier: 'web', zone: '', size: 's', env: 'dev' })).toBe(false);
  });

  it.each([
    [{ key: 'a', operator: 'Equals', values: ['1'] }, '"Equals" is not a valid pod selector operator'],
    [
      { key: 'a', operator: 'NotIn' },
      "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { key: 'a', operator: 'DoesNotExist', values: ['1'] },
      'values: Invalid value: []string{"1"}: values set must be empty for exists and does not exist',
    ],
  ])('rejects %j', (expression, message) => {
    expect(() => fromLabelSelector({ matchExpressions: [expression] })).toThrow(
      new LabelSelectorError(message),
    );
  });
});

describe('fromLabels', () => {
  it('selects the objects that have all the labels', () => {
    const selector = fromLabels({ b: '2', a: '1' });
    expect(selector.toString()).toBe('a=1,b=2');
    expect(selector.matches({ a: '1', b: '2', c: '3' })).toBe(true);
    expect(selector.matches({ a: '1' })).toBe(false);
    expect(fromLabels({}).empty).toBe(true);
  });
});
