import type { Int64 } from '../../api/schema/index.ts';

/** Condition of an object's status. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Value of `metadata.generation` for which the condition was computed. */
  readonly observedGeneration?: Int64;
  /** Time of the last change of the status: RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
  /** Reason of the status, one CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** Condition as computed, without its transition time, which `setCondition` adds. */
export type ConditionNow = Omit<Condition, 'lastTransitionTime'>;

/**
 * Returns `conditions` with the condition of the same type replaced by `now`, or with `now` appended.
 * `lastTransitionTime` changes to `time` (RFC 3339) only if the status changes. Returns the same list if no
 * field changes.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  now: ConditionNow,
  time: string,
): readonly Condition[] {
  const known = conditions ?? [];
  const before = known.find(({ type }) => type === now.type);
  const lastTransitionTime = before?.status === now.status ? before.lastTransitionTime : time;
  const next: Condition = { ...now, lastTransitionTime };
  if (before === undefined) return [...known, next];
  return isSame(before, next) ? known : known.map((each) => (each === before ? next : each));
}

const isSame = (a: Condition, b: Condition): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.observedGeneration === b.observedGeneration;

/** True if the condition `type` exists and has status `True`. */
export const isConditionTrue = (
  conditions: readonly { readonly type?: string; readonly status?: string }[] | undefined,
  type: string,
): boolean => conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
