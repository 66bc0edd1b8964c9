import type { Int64 } from '../../api/schema/exact-json.ts';

/** A condition in an object's status: what is so, since when, and why. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The `metadata.generation` that it was judged on. */
  readonly observedGeneration?: Int64;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** A condition as a controller sees it now: since when is not for it to say. */
export type ConditionNow = Omit<Condition, 'lastTransitionTime'>;

/**
 * `conditions` with `now` in it, at its place or at the end. `lastTransitionTime` moves to `time` (RFC 3339) only when
 * the status changes; gives the very same list when nothing does.
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

/** Whether the condition `type` is there and true. */
export const isConditionTrue = (
  conditions: readonly { readonly type?: string; readonly status?: string }[] | undefined,
  type: string,
): boolean => conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
