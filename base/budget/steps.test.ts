import { describe, expect, it } from 'vitest';
import { inSteps, part, undivided } from './steps.ts';
import { PAUSE_WORK, SLICE_WORK, WorkBudget, WorkBudgetError, spend } from './work-budget.ts';

/** Returns a budget that has been charged for a large object, at the start of a slice. */
async function usedBudget(limit?: number): Promise<WorkBudget> {
  const budget = new WorkBudget(limit);
  budget.spend(PAUSE_WORK);
  await budget.pause();
  return budget;
}

/** Sums the leaves of a tree, each of which costs `units`. Counts how often each leaf is visited. */
function sum(tree: unknown, units: number, visits: Map<unknown, number>): number {
  if (Array.isArray(tree))
    return tree.reduce<number>((all, each) => all + part(() => sum(each, units, visits)), 0);
  spend(units);
  visits.set(tree, (visits.get(tree) ?? 0) + 1);
  return Number(tree);
}

const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at);

describe('work in steps', () => {
  it('runs each part once, with turns of the event loop in between', async () => {
    const tree = numbers(0, 10).map((at) => numbers(at * 10, 10));
    const visits = new Map<unknown, number>();
    let turns = 0;
    const turn = (): void => void ((turns += 1), setImmediate(turn).unref());
    setImmediate(turn).unref();
    const budget = await usedBudget();
    expect(await inSteps(budget, () => sum(tree, 1_000, visits))).toBe(4_950);
    expect([...visits.values()]).toEqual(Array.from({ length: 100 }, () => 1));
    expect(turns).toBeGreaterThan(8);
    expect(budget.spent).toBe(PAUSE_WORK + 100_000);
  });

  it('runs small work synchronously', () => {
    const visits = new Map<unknown, number>();
    expect(inSteps(new WorkBudget(), () => sum([1, 2, 3], 1, visits))).toBe(6);
    expect(inSteps(undefined, () => sum([1, 2, 3], SLICE_WORK, visits))).toBe(6);
  });

  it('is interrupted even if the work catches or wraps the interruption', async () => {
    const caught = (): number => {
      try {
        return sum(numbers(0, 50), 1_000, new Map());
      } catch (cause) {
        throw new Error('undecodable', { cause });
      }
    };
    expect(await inSteps(await usedBudget(), caught)).toBe(1_225);
    const swallowed = (): number =>
      numbers(0, 50).reduce((all, each) => {
        try {
          return all + part(() => sum(each, 1_000, new Map()));
        } catch {
          return all;
        }
      }, 0);
    expect(await inSteps(await usedBudget(), swallowed)).toBe(1_225);
  });

  it('throws the error of the work, whichever step throws it', async () => {
    const failing = (): number => {
      const all = sum(numbers(0, 50), 1_000, new Map());
      throw new RangeError(String(all));
    };
    await expect(inSteps(await usedBudget(), failing)).rejects.toThrow(new RangeError('1225'));
  });

  it('rejects a part that exceeds a slice, and parts that exceed the budget', async () => {
    const long = await usedBudget();
    await expect(inSteps(long, () => sum([1, 2], SLICE_WORK + 1, new Map()))).rejects.toThrow(
      WorkBudgetError,
    );
    const many = await usedBudget(30_000);
    await expect(inSteps(many, () => sum(numbers(0, 50), 1_000, new Map()))).rejects.toThrow(/in total/);
  });

  it('does not interrupt an undivided part', async () => {
    const visits = new Map<unknown, number>();
    const work = (): number =>
      sum(numbers(0, 8), 1_000, visits) + part(() => undivided(() => sum(numbers(10, 5), 2_000, visits)));
    expect(await inSteps(await usedBudget(), work)).toBe(28 + 60);
    expect([...visits.values()].every((times) => times === 1)).toBe(true);
  });

  it('makes progress in each run, however much is spent before the remaining parts', async () => {
    const budget = await usedBudget(1_000_000);
    const work = (): number => {
      spend(12_000);
      return sum(numbers(0, 5), 1_000, new Map());
    };
    expect(await inSteps(budget, work)).toBe(10);
  });
});
