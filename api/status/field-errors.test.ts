import { describe, expect, it } from 'vitest';
import { WorkBudget, WorkBudgetError, charged } from '../../base/budget/work-budget.ts';
import { goDump } from '../validation/go-text/dump.ts';
import { goStringMap, goStrings } from '../validation/go-text/values.ts';
import { invalid } from './api-error.ts';
import { type FieldErrors, index, invalidField, mapKey, printed, requiredField } from './field-errors.ts';

const kind = { group: 'batch', kind: 'Job' };
const errorsOf = (count: number): FieldErrors =>
  Array.from({ length: count }, (_, at) => requiredField(index('spec.list', at)));
const textOf = (errors: FieldErrors): number => JSON.stringify(invalid(kind, 'a', errors).status).length;

describe('a Status with many errors', () => {
  it('contains the first 100 errors and states the number of omitted errors', () => {
    const { status } = invalid(kind, 'a', errorsOf(1_334));
    expect(status.details?.causes).toHaveLength(100);
    expect(status.message).toContain('spec.list[99]: Required value, … and 1234 more errors]');
  });

  it('contains all of 100 errors', () => {
    expect(invalid(kind, 'a', errorsOf(100)).message).not.toContain('more errors');
  });

  it.each([
    ['many long messages', Array.from({ length: 90 }, () => requiredField('a', 'x'.repeat(5_000)))],
    ['one message of 3 MB', [requiredField('a', 'x'.repeat(3_000_000))]],
    ['a path of megabytes', [requiredField('a'.repeat(3_000_000))]],
  ])('has at most 64 KiB of text: %s', (_, errors) => {
    expect(textOf(errors)).toBeLessThan(66_000);
  });
});

describe('a value in an error message', () => {
  const long = 'x'.repeat(1_000_000);
  it.each([
    ['a string', () => printed(long)],
    ['a list', () => printed(Array.from({ length: 100_000 }, (_, at) => at))],
    ['an object', () => printed({ a: { [long]: 1 } })],
    ['a map key in a path', () => mapKey('a', long)],
    ['a Go list', () => goStrings(Array.from({ length: 100_000 }, () => 'a'))],
    ['a Go map', () => goStringMap({ [long]: long })],
    [
      'a Go struct',
      () => goDump('[]core.Toleration', [{ key: long }, ...Array.from({ length: 9_999 }, () => ({}))]),
    ],
  ])('is shortened if it is long: %s', (_, text) => {
    expect(text().length).toBeLessThan(10_000);
    expect(text()).toContain('...');
  });

  it('is printed completely up to 2,048 characters', () => {
    expect(printed('x'.repeat(2_048))).toBe(`"${'x'.repeat(2_048)}"`);
    expect(printed({ a: ['b', 1, null, { c: true }] })).toBe('{"a":["b",1,null,{"c":true}]}');
  });
});

describe('the cost of validation', () => {
  it('is charged for each item, and is higher for each error', () => {
    const [items, errors] = [new WorkBudget(), new WorkBudget()];
    charged(items, () => index('a', 0));
    charged(errors, () => invalidField('a', 1, 'must be 2'));
    expect(items.spent).toBe(0.5);
    expect(errors.spent).toBeGreaterThan(3);
  });

  it('exceeds the work budget before tens of thousands of errors are created', () => {
    expect(() => charged(new WorkBudget(), () => errorsOf(20_000))).toThrow(WorkBudgetError);
  });
});
