import { type ExplicitRule, explicitRules, parsePlan } from '../../chaos/plan/index.ts';
import { minimize } from '../../chaos/tape/index.ts';
import type { JudgedPlan, Trial } from './judged-trial.ts';

/** The smallest failing plan that was found. */
export interface MinimalPlan {
  readonly failed: JudgedPlan;
  readonly rules: readonly ExplicitRule[] | undefined;
  /** True if the plan fails and no plan with one rule less fails. */
  readonly isMinimal: boolean;
}

/**
 * Searches for the smallest plan that breaks the same rule, by running parts of the injected faults. Every
 * run starts with the same state. The runs are added to `runs`.
 */
export async function minimizePlan(
  failed: JudgedPlan,
  trial: Trial,
  runs: JudgedPlan[],
): Promise<MinimalPlan> {
  const { plan, run, judged } = failed;
  const broken = judged.findings[0]?.rule;
  if (plan === undefined) return { failed, rules: undefined, isMinimal: false };
  const all = explicitRules(plan, run.strikes);
  let smallest = failed;
  const fails = async (rules: readonly ExplicitRule[]): Promise<boolean> => {
    // The run without faults has shown that no rule is broken then.
    if (rules.length === 0) return false;
    const played = await trial.play(
      `smaller: ${rules.map(({ name }) => name).join(', ')}`,
      parsePlan(JSON.stringify({ rules })),
    );
    runs.push(played);
    if (!played.judged.findings.some(({ rule }) => rule === broken)) return false;
    smallest = played;
    return true;
  };
  if (!trial.goesOn() || !(await fails(all))) return { failed, rules: all, isMinimal: false };
  const { part, minimal } = await minimize(all, fails, () => trial.goesOn());
  return { failed: smallest, rules: part, isMinimal: minimal };
}
