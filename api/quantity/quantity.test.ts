import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkBudget, charged } from '../../base/budget/work-budget.ts';
import {
  QuantityError,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isZeroQuantity,
  negateQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';

const canonical = (text: string): string => canonicalQuantity(parseQuantity(text));
const codeOf = (text: string): string => {
  try {
    parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return error.code;
    throw error;
  }
  return 'accepted';
};

const texts = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.integer({ min: 0, max: 1_000_000_000 }),
    fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    fc.constantFrom(
      '',
      'n',
      'u',
      'm',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'e3',
      'E-2',
      'e12',
    ),
  )
  .map(
    ([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`,
  );

describe('parseQuantity and canonicalQuantity', () => {
  it.each([
    ['2000m', '2'],
    ['0.25', '250m'],
    ['2048Ki', '2Mi'],
    ['0.5Gi', '512Mi'],
    ['1.3Ki', '1331200m'],
    ['7000', '7k'],
    ['1e4', '10e3'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['000', '0'],
    ['300E', '300E'],
  ])('write %s as %s', (text, written) => {
    expect(canonical(text)).toBe(written);
  });

  it.each(['3.', '7E3', '12.345', '0005Mi'])('retain the string %s, as upstream does', (text) => {
    expect(canonical(text)).toBe(text);
  });

  it('cap binary notation at the largest 64-bit number', () => {
    expect(canonical('9Ei')).toBe('9223372036854775807');
    expect(canonical('-9Ei')).toBe('-9223372036854775807');
  });

  it('write an exponent beyond the largest decimal suffix', () => {
    expect(canonical('5000E')).toBe('5e21');
  });

  it.each([
    ['', 'format'],
    ['five', 'format'],
    ['1 Gi', 'format'],
    ['1.2.3', 'format'],
    ['1kb', 'format'],
    ['1Kii', 'suffix'],
    ['1kk', 'suffix'],
    ['1e', 'suffix'],
    ['1e-', 'suffix'],
    ['1-1', 'suffix'],
  ])('reject %j with the code %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it('reject expensive strings immediately', () => {
    for (const text of [
      '1e999999999',
      '1.5e-99999999',
      '0'.repeat(9_999) + 'x',
      '9'.repeat(1_000_000),
      '0'.repeat(9_000) + '1'.repeat(900) + '!',
    ]) {
      expect(codeOf(text)).not.toBe('accepted');
    }
  });

  it('return a quantity or throw a QuantityError for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.+-eEinumkKMGTPx ') }), (text) => {
        expect(['accepted', 'format', 'suffix', 'numeric']).toContain(codeOf(text));
      }),
    );
  });

  it('round-trip canonical strings', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = canonical(text);
        expect(compareQuantities(parseQuantity(text), parseQuantity(once))).toBe(0);
        const again = canonicalQuantity(negateQuantity(negateQuantity(parseQuantity(once))));
        expect(canonical(again)).toBe(again);
      }),
    );
  });
});

describe('arithmetic of quantities', () => {
  it('compares across notations', () => {
    expect(compareQuantities(parseQuantity('1Ki'), parseQuantity('1k'))).toBe(1);
    expect(compareQuantities(parseQuantity('1000m'), parseQuantity('1'))).toBe(0);
    expect(compareQuantities(parseQuantity('-1'), parseQuantity('0'))).toBe(-1);
  });

  it('adds and subtracts in the notation of the first quantity, or of the second if the first is zero', () => {
    const sum = (a: string, b: string): string =>
      canonicalQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
    expect(sum('1Gi', '1073741824')).toBe('2Gi');
    expect(sum('500m', '1500m')).toBe('2');
    expect(sum('0', '1Mi')).toBe('1Mi');
    expect(canonicalQuantity(subtractQuantities(parseQuantity('1Gi'), parseQuantity('512Mi')))).toBe('512Mi');
  });

  it('undoes an addition by a subtraction', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [left, right] = [parseQuantity(a), parseQuantity(b)];
        const back = subtractQuantities(addQuantities(left, right), right);
        expect(compareQuantities(back, left)).toBe(0);
        expect(isZeroQuantity(subtractQuantities(left, left))).toBe(true);
      }),
    );
  });

  it('rounds values in whole units and in thousandths away from zero', () => {
    expect(quantityValue(parseQuantity('1001m'))).toBe(2n);
    expect(quantityValue(parseQuantity('-1001m'))).toBe(-2n);
    expect(quantityMilliValue(parseQuantity('1n'))).toBe(1n);
    expect(quantityMilliValue(parseQuantity('2Gi'))).toBe(2_147_483_648_000n);
  });

  it('writes a number of bytes in binary notation', () => {
    expect(canonicalQuantity(quantityOf(3 * 2 ** 20, 'BinarySI'))).toBe('3Mi');
    expect(canonicalQuantity(quantityOf(1_000, 'BinarySI'))).toBe('1k');
  });
});

describe('a quantity of thousands of digits', () => {
  const workOf = (work: () => unknown): number => {
    const budget = new WorkBudget();
    charged(budget, work);
    return budget.spent;
  };

  it('is compared by its order of magnitude', () => {
    const [huge, one, tiny] = [parseQuantity('1e9999'), parseQuantity('1'), parseQuantity('-1e9999')];
    const work = workOf(() => {
      expect(compareQuantities(huge, one)).toBe(1);
      expect(compareQuantities(one, huge)).toBe(-1);
      expect(compareQuantities(tiny, one)).toBe(-1);
      expect(compareQuantities(parseQuantity('1000'), parseQuantity('1e3'))).toBe(0);
      expect(compareQuantities(parseQuantity('-2e3'), parseQuantity('-1e3'))).toBe(-1);
      expect(quantityValue(huge)).toBe(0n);
      expect(canonical('1e-9999')).toBe('1e-9');
    });
    expect(work).toBeLessThan(10);
  });

  it('is charged when its digits are written', () => {
    const [huge, one] = [parseQuantity('1e9999'), parseQuantity('1')];
    const work = workOf(() => canonicalQuantity(addQuantities(huge, one)));
    expect(work).toBeGreaterThan(1_000);
  });

  it('is compared like a number with its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(-2000n, 2000n), fc.nat(6), fc.bigInt(-2000n, 2000n), fc.nat(6), (a, m, b, n) => {
        const [left, right] = [parseQuantity(`${a}e${m}`), parseQuantity(`${b}e${n}`)];
        const [x, y] = [a * 10n ** BigInt(m), b * 10n ** BigInt(n)];
        expect(compareQuantities(left, right)).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
    );
  });

  it('is rejected if it has more than 1,000 characters', () => {
    expect(codeOf('9'.repeat(1_000))).toBe('accepted');
    expect(codeOf('9'.repeat(1_001))).toBe('numeric');
  });
});
