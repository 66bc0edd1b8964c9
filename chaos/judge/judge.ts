import { read } from './reading.ts';
import type { Finding, WireRule } from './rule.ts';
import { endState } from './rules/end-state.ts';
import { hotLoop } from './rules/hot-loop.ts';
import { knownGoneOwner } from './rules/known-gone-owner.ts';
import { leftOver } from './rules/left-over.ts';
import { lostUpdate } from './rules/lost-update.ts';
import { staleDecision } from './rules/stale-decision.ts';
import { twinCreates } from './rules/twin-creates.ts';
import { unreadIncarnation } from './rules/unread-incarnation.ts';
import { writeFight } from './rules/write-fight.ts';
import type { WireHistory } from './wire-history.ts';

/** The rules for every client, the most specific first. */
export const wireRules: readonly WireRule[] = [
  unreadIncarnation,
  staleDecision,
  knownGoneOwner,
  twinCreates,
  lostUpdate,
  writeFight,
  hotLoop,
  leftOver,
  endState,
];

/** Statistics of one rule. */
export interface RuleTally {
  readonly id: string;
  readonly says: string;
  /** Number of cases to which the rule applied. */
  readonly reached: number;
  readonly broken: number;
}

/** Result of all rules for one history. */
export interface JudgedHistory {
  readonly tallies: readonly RuleTally[];
  /** Violations in the order of `rules`. */
  readonly findings: readonly Finding[];
}

/**
 * Evaluates rules on the requests, responses and events between a client and an API server.
 * @param calm history of the same workload without faults; rules that need it apply to no case if it is
 * undefined
 */
export function judgeHistory(
  history: WireHistory,
  calm: WireHistory | undefined,
  rules: readonly WireRule[] = wireRules,
): JudgedHistory {
  const reading = read(history);
  const reference = calm === undefined ? undefined : read(calm);
  const results = rules.map((rule) => ({ rule, ...rule.judge(reading, reference) }));
  return {
    tallies: results.map(({ rule: { id, says }, reached, findings }) => ({
      id,
      says,
      reached,
      broken: findings.length,
    })),
    findings: results.flatMap(({ findings }) => findings),
  };
}
