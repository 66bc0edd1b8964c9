import type { Effect, Reading } from './reading.ts';
import type { Moment } from './wire-history.ts';

/** Violation of a rule. */
export interface Finding {
  readonly rule: string;
  /** Key of the object, such as `configmaps default/x`. */
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
  /** Description of the violation in one sentence. */
  readonly text: string;
  /** Positions of the entries and versions that show the violation. */
  readonly evidence: readonly number[];
}

/** Result of one rule for one history. */
export interface RuleResult {
  /** Number of cases to which the rule applied. */
  readonly reached: number;
  readonly findings: readonly Finding[];
}

/** A property of every history of a correct client. */
export interface WireRule {
  readonly id: string;
  /** Description of the property in one sentence. */
  readonly says: string;
  /**
   * Evaluates a history. `calm` is the history of the same workload without faults; undefined if there is
   * none.
   */
  judge(reading: Reading, calm: Reading | undefined): RuleResult;
}

/** Returns a finding about one write. */
export const findingOf = (
  rule: string,
  { request, key, belief }: Effect,
  text: string,
  evidence: readonly (Pick<Moment, 'seq'> | undefined)[] = [],
): Finding => ({
  rule,
  key,
  seq: request.seq,
  atMs: request.atMs,
  text,
  evidence: [request.seq, belief?.seq, ...evidence.map((each) => each?.seq)].filter(
    (seq) => seq !== undefined,
  ),
});
