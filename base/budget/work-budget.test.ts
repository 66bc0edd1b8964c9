import { describe, expect, it } from 'vitest';
import { PAUSE_WORK, SLICE_WORK, WorkBudget, WorkBudgetError, charged, spend } from './work-budget.ts';

describe('work budget', () => {
  it('rejects the first unit above the limit', () => {
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

  it('throws the budget error even if the work catches or wraps it', () => {
    const swallowed = new WorkBudget(1);
    const swallow = (): void => {
      try {
        spend(2);
      } catch {
        // A parser that tries another format would catch the error, for example.
      }
    };
    expect(() => charged(swallowed, swallow)).toThrow(WorkBudgetError);
    const wrapped = new WorkBudget(1);
    const wrap = (): void => {
      try {
        spend(2);
      } catch (cause) {
        throw new Error('undecodable', { cause });
      }
    };
    expect(() => charged(wrapped, wrap)).toThrow(WorkBudgetError);
  });

  it('leaves no rejection of asynchronous work unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const work = async (): Promise<void> => spend(2);
    expect(() => charged(new WorkBudget(1), work)).toThrow(WorkBudgetError);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('assigns each paused budget a separate turn of the event loop', async () => {
    const order: string[] = [];
    const turn = (name: string): Promise<unknown> => {
      const budget = new WorkBudget();
      budget.spend(SLICE_WORK);
      return Promise.resolve(budget.pause()).then(() => {
        order.push(name);
        setImmediate(() => order.push(`after ${name}`));
      });
    };
    await Promise.all([turn('first'), turn('second')]);
    expect(order).toEqual(['first', 'after first', 'second']);
  });

  it('pauses once a slice is spent, and not again before the next one', async () => {
    const budget = new WorkBudget();
    expect(budget.pause()).toBeUndefined();
    budget.spend(PAUSE_WORK);
    await budget.pause();
    expect(budget.pause()).toBeUndefined();
  });

  it('rejects more work without a pause than a slice has, and allows it with a pause', async () => {
    const hasty = new WorkBudget();
    hasty.spend(SLICE_WORK);
    expect(() => hasty.spend(1)).toThrow(/more processing than one request may take at once/);
    const patient = new WorkBudget();
    patient.spend(SLICE_WORK);
    await patient.pause();
    patient.spend(SLICE_WORK);
    expect(patient.spent).toBe(2 * SLICE_WORK);
  });
});
