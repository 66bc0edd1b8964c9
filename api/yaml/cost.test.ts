import { describe, expect, it } from 'vitest';
import { WorkBudget, WorkBudgetError, charged } from '../../base/budget/work-budget.ts';
import { numberOf } from './numbers.ts';
import { parseYamlStrictly } from './yaml.ts';

describe('the work budget of the YAML parser', () => {
  const refused = (text: string): boolean => {
    try {
      charged(new WorkBudget(), () => parseYamlStrictly(text));
      return false;
    } catch (error) {
      if (error instanceof WorkBudgetError) return true;
      throw error;
    }
  };

  it.each([
    ['anchors, each used once', '- &a b\n- *a\n'.repeat(20_000)],
    ['aliases of one anchor', `- &a b\n${'- *a\n'.repeat(20_000)}`],
    ['tags', '- !!str b\n'.repeat(20_000)],
    ['comments after an anchor', `a: &a b\n${'# c\n'.repeat(200_000)}`],
    ['characters after an anchor', `a: &a ${'b'.repeat(1e6)}`],
    ['entries', '- a\n'.repeat(200_000)],
    ['entries of a flow sequence', `[${'a, '.repeat(200_000)}]`],
  ])('rejects many %s', (_what, text) => {
    expect(refused(text)).toBe(true);
  });

  it.each([
    ['a string of 1 MB', `a: |\n${`  ${'x y '.repeat(20)}\n`.repeat(12_000)}`],
    ['15,000 lines of a CustomResourceDefinition', 'a:\n' + "- b: 'it is\n    long'\n  c: d\n".repeat(5_000)],
    ['hundreds of anchors', '- &a b\n- *a\n'.repeat(300)],
  ])('accepts %s', (_what, text) => {
    expect(refused(text)).toBe(false);
  });

  it('reads a number of three million digits as a string without converting it', () => {
    const figures = '9'.repeat(3_000_000);
    expect(numberOf(figures)).toBe(figures);
  });
});
