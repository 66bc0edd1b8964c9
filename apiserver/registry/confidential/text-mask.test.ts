import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenValues } from './seen-values.ts';
import { REDACTED, createTextMask } from './text-mask.ts';

const VALUE = 'correct horse battery staple';

describe('a text mask', () => {
  it.each([
    [`the value ${VALUE} is weak`, `the value ${REDACTED} is weak`],
    [`begins with ${VALUE.slice(0, 13)}!`, `begins with ${REDACTED}!`],
    [`${VALUE}${VALUE}`, REDACTED],
    ['a label is missing', 'a label is missing'],
    ['a horse', 'a horse'],
    ['', ''],
  ])('turns the message %j into %j', (text, masked) => expect(createTextMask([VALUE])(text)).toBe(masked));

  it('replaces short values only as a whole, and ignores values of fewer than 4 characters', () => {
    expect(createTextMask(['abcd', 'abc'])('abcabcdabc')).toBe(`abc${REDACTED}abc`);
  });

  it('leaves no part of at least 11 characters of a long value in a message', () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') }),
        fc.nat(50),
        fc.integer({ min: 11, max: 60 }),
        fc.string({ maxLength: 20, unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        (value, from, length, around) => {
          const part = value.slice(from, from + length);
          fc.pre(part.length >= 11);
          expect(createTextMask([value])(`${around}${part}${around}`)).not.toContain(part);
        },
      ),
    ));

  it('replaces the whole message if the message or the values are too long', () => {
    expect(createTextMask([VALUE])('x'.repeat(20_000))).toBe(REDACTED);
    expect(createTextMask(['y'.repeat(700_000)])('short')).toBe(REDACTED);
  });

  it('finds the values of a Secret in the spellings that programs print', () => {
    const { mask } = new SeenValues().add({ data: { a: Buffer.from(VALUE).toString('base64') } });
    const bytes = Buffer.from(VALUE);
    for (const spelling of [
      VALUE,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.join(' '),
      bytes.join(', ').replaceAll(', ', ','),
    ])
      expect(mask(`(${spelling})`)).toBe(`(${REDACTED})`);
  });

  it('finds the values of the configuration in a last-applied annotation', () => {
    const applied = JSON.stringify({ stringData: { a: VALUE }, data: { b: 'b2xkIHZhbHVlIG9mIGl0' } });
    const { mask } = new SeenValues().add({ metadata: { annotations: { 'example.com/last': applied } } });
    expect(mask(applied)).not.toMatch(/correct|b2xk/);
  });
});
