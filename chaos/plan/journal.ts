import type { Deviation } from '../tape/tape.ts';
import { PlanError } from './fields.ts';
import type { FaultPlan } from './plan.ts';
import type { StrikeRecord } from './strikes.ts';

/** The first line of a journal of strikes. */
interface JournalHead {
  readonly version: 1;
  /** SHA-256 of the plan's text. */
  readonly plan: string;
  readonly seed: number;
}

/** The lines of a journal: a head, then one for each strike. */
export const journalHead = ({ digest }: FaultPlan, seed: number): string => {
  const head: JournalHead = { version: 1, plan: digest, seed };
  return `${JSON.stringify(head)}\n`;
};

export const journalLine = (strike: StrikeRecord): string => `${JSON.stringify(strike)}\n`;

/**
 * What was chosen in the run that a journal is of. A last line that is not whole, as a program that was killed leaves it,
 * is passed over. Throws `ERR_PLAN_JOURNAL` for what is no journal, or one of another plan.
 */
export function readChoices(text: string, plan: FaultPlan): readonly Deviation[] {
  const [first = '', ...lines] = text.split('\n');
  const head = parsed(first) as Partial<JournalHead> | undefined;
  if (head?.version !== 1)
    throw new PlanError('ERR_PLAN_JOURNAL', 'expected a journal of strikes of version 1');
  if (head.plan !== plan.digest)
    throw new PlanError(
      'ERR_PLAN_JOURNAL',
      'the journal is of another plan: its digest is not that of this one',
    );
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const strike = parsed(line) as Partial<StrikeRecord> | undefined;
    if (strike?.choices === undefined && i === lines.length - 1) return [];
    if (strike?.choices === undefined)
      throw new PlanError('ERR_PLAN_JOURNAL', `line ${i + 2} of the journal is no strike`);
    return strike.choices;
  });
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
