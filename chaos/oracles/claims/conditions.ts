import { toTime } from '../../../base/clock/index.ts';
import { type Invariant, invariant, resourceOf, verdict } from '../../invariants/invariant.ts';
import { type ConditionClaim, trueCondition } from './claim.ts';

/** Time in milliseconds in which a controller must set a condition. */
const SETTLING_MS = 30_000;

interface State {
  /** Time of the last change by uid, in milliseconds. */
  readonly changedMs: Readonly<Record<string, number>>;
}

/** Creates the invariant that a controller sets a condition if, and only if, it is true. */
export const conditionInvariant = (
  controller: string,
  { id, says, kind, type, reason, isTrue, isOverdue = isTrue }: ConditionClaim,
): Invariant =>
  invariant<State>({
    id,
    says,
    controller,
    kind: 'never',
    unless: 'api-clock-forward',
    resources: [resourceOf(kind)],
    initial: () => ({ changedMs: {} }),
    onCommit(state, { resource, actor, before, after, uid, name, atMs }) {
      if (resource !== resourceOf(kind) || after === undefined) return verdict(state, false);
      const next = { changedMs: { ...state.changedMs, [uid]: atMs } };
      const isSet =
        trueCondition(after, type)?.reason === reason && trueCondition(before, type)?.reason !== reason;
      if (!isSet || actor !== controller) return verdict(next, false);
      const broken = isTrue(after, atMs) ? undefined : `${name} got ${type}, ${reason}, at ${toTime(atMs)}`;
      return verdict(next, true, broken);
    },
    atRest(state, live) {
      const left = live
        .list(resourceOf(kind))
        .find(
          (each) =>
            live.nowMs - (state.changedMs[each.metadata?.uid ?? ''] ?? Infinity) > SETTLING_MS &&
            each.metadata?.deletionTimestamp === undefined &&
            trueCondition(each, type) === undefined &&
            isOverdue(each, live.nowMs - SETTLING_MS),
        );
      return verdict(
        state,
        left !== undefined,
        left && `${left.metadata?.name ?? ''} has no ${type}, ${reason}`,
      );
    },
  });
