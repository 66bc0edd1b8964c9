import { describe, expect, it } from 'vitest';
import { SLICE_WORK, WorkBudget, WorkBudgetError, charged, spend } from './work-budget.ts';

describe('work budget', () => {
  it('refuses the unit after the last one granted', () => {
    const budget = new WorkBudget(10);
    budget.spend(10);
    expect(() => budget.spend(1)).toThrow(WorkBudgetError);
  });

  it('charges nested work to the innermost budget and restores the outer one', () => {
    const outer = new WorkBudget();
    const inner = new WorkBudget();
    charged(outer, () => {
      spend(1);
      charged(inner, () => spend(2));
      spend(4);
    });
    expect([outer.spent, inner.spent]).toEqual([5, 2]);
  });

  it('restores the outer budget when the work throws', () => {
    const inner = new WorkBudget(1);
    expect(() => charged(inner, () => spend(2))).toThrow(WorkBudgetError);
    spend(1);
    expect(inner.spent).toBe(2);
  });

  it('pauses once a slice is spent, and not again before the next one', async () => {
    const budget = new WorkBudget();
    expect(budget.pause()).toBeUndefined();
    budget.spend(SLICE_WORK);
    await budget.pause();
    expect(budget.pause()).toBeUndefined();
  });
});
