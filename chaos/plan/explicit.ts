import { type FaultPlan, type Rule } from './plan.ts';
import type { StrikeRecord } from './strikes.ts';
import { wireFaults } from './wire-faults.ts';

/** A rule in the format of a plan file. */
export interface ExplicitRule {
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly fault: Readonly<Record<string, unknown>>;
}

/**
 * Returns rules that inject exactly the recorded faults, one rule for each fault.
 *
 * Each rule selects its request by number, so it needs no seed and no conditions on time or on other rules.
 */
export const explicitRules = (
  { rules }: FaultPlan,
  strikes: readonly StrikeRecord[],
): readonly ExplicitRule[] =>
  strikes.flatMap((strike, i) => {
    const rule = rules.find(({ name }) => name === strike.rule);
    return rule === undefined ? [] : [explicitRule(rule, strike, i)];
  });

function explicitRule({ match, fault }: Rule, strike: StrikeRecord, i: number): ExplicitRule {
  const { details, events } = wireFaults[fault.name];
  const ms = Math.round(strike.lastsMs ?? 0);
  const all: Readonly<Record<string, unknown>> = {
    lasts: strike.lastsMs === undefined ? undefined : `${ms}ms`,
    retryAfter: `${fault.retryAfterSeconds}s`,
    code: fault.code,
    revisions: fault.revisions,
    age: fault.ageMs === Number.POSITIVE_INFINITY ? undefined : `${fault.ageMs}ms`,
    oldest: fault.oldest ? true : undefined,
  };
  return {
    name: `${strike.rule}-${i + 1}`,
    match: defined({
      verb: strike.verb,
      ...(match.paths === undefined ? { resource: strike.target } : { path: strike.target }),
      namespace: oneOrAll(match.namespaces),
      name: oneOrAll(match.names),
      user: strike.user === '' ? undefined : strike.user,
      userAgent: strike.userAgent === '' ? undefined : strike.userAgent,
      event: events ? oneOrAll(match.events) : undefined,
      nth: strike.nth,
    }),
    fault: defined({ name: fault.name, ...Object.fromEntries(details.map((name) => [name, all[name]])) }),
  };
}

/** Returns the only string of a list, or else the list. */
const oneOrAll = (texts: readonly string[] | undefined): string | readonly string[] | undefined =>
  texts?.length === 1 ? texts[0] : texts;

const defined = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
