import type { Deviation } from '../tape/tape.ts';
import { PlanError } from './fields.ts';
import type { FaultPlan } from './plan.ts';
import type { StrikeRecord } from './strikes.ts';

/** First line of a fault journal. */
interface JournalHead {
  readonly version: 1;
  /** SHA-256 of the plan's source in hexadecimal. */
  readonly plan: string;
  readonly seed: number;
}

/** Returns the first line of a journal. The following lines contain one fault each. */
export const journalHead = ({ digest }: FaultPlan, seed: number): string => {
  const head: JournalHead = { version: 1, plan: digest, seed };
  return `${JSON.stringify(head)}\n`;
};

/** Formats one injected fault as a line of a plan journal. */
export const journalLine = (strike: StrikeRecord): string => `${JSON.stringify(strike)}\n`;

/**
 * Returns the choices of a recorded run.
 *
 * Ignores an incomplete last line, which remains if the program is killed. Throws `ERR_PLAN_JOURNAL` for
 * invalid input and for a journal of another plan.
 */
export function readChoices(text: string, plan: FaultPlan): readonly Deviation[] {
  const [first = '', ...lines] = text.split('\n');
  const head = parsed(first) as Partial<JournalHead> | undefined;
  if (head?.version !== 1) throw new PlanError('ERR_PLAN_JOURNAL', 'expected a fault journal of version 1');
  if (head.plan !== plan.digest)
    throw new PlanError('ERR_PLAN_JOURNAL', 'the journal belongs to another plan: the digests differ');
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const strike = parsed(line) as Partial<StrikeRecord> | undefined;
    if (strike?.choices === undefined && i === lines.length - 1) return [];
    if (strike?.choices === undefined)
      throw new PlanError('ERR_PLAN_JOURNAL', `line ${i + 2} of the journal is not a fault record`);
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
