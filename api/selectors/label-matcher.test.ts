import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastProcessorMs } from '../../test/processor-time.ts';
import { labelMatcher } from './label-matcher.ts';
import { type LabelRequirement, matchesRequirement } from './label-requirement.ts';

const key = fc.constantFrom('a', 'b', 'c');
const value = fc.constantFrom('', '1', '2', '3', '10', 'x', 'y');
const number = fc.constantFrom('0', '1', '2', '9');
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('in' as const, 'notin' as const),
    values: fc.array(value, { minLength: 1, maxLength: 5 }),
  }),
  fc.record({
    key,
    operator: fc.constantFrom('=' as const, '==' as const, '!=' as const),
    values: fc.tuple(value),
  }),
  fc.record({ key, operator: fc.constantFrom('exists' as const, '!' as const), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('gt' as const, 'lt' as const), values: fc.tuple(number) }),
);
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);

describe('labelMatcher', () => {
  it('has the same result as checking each requirement, for any number of requirements', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 8 }), labels, fc.boolean(), (chosen, given, many) => {
        // Repeating requirements does not change the meaning, but exceeds the number up to which each
        // requirement is checked.
        const requirements = many ? Array.from({ length: 20 }, () => chosen).flat() : chosen;
        const expected = requirements.every((each) => matchesRequirement(each, given));
        expect(labelMatcher(requirements)(given)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads thousands of requirements once, and not again for each object', () => {
    const requirements: LabelRequirement[] = Array.from({ length: 10_000 }, (_, at) => ({
      key: at % 2 === 0 ? 'a' : `k${at}`,
      operator: '!=',
      values: [`v${at}`],
    }));
    const values = Array.from({ length: 10_000 }, (_, at) => `w${at}`);
    const matches = labelMatcher([...requirements, { key: 'b', operator: 'notin', values }]);
    const spentMs = leastProcessorMs(2_000, () => {
      for (let at = 0; at < 10_000; at += 1) expect(matches({ a: `x${at}`, b: 'y' })).toBe(true);
    });
    // Checking one by one takes a hundred million comparisons, which is several seconds.
    expect(spentMs).toBeLessThan(2_000);
  });
});
