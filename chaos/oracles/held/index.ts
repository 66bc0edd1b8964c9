import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';
import type { Reason } from './reason.ts';

/** Time in milliseconds for which a finalizer may remain when its reason no longer exists. */
const RELEASE_MS = 30_000;

interface State {
  /** Time of the last change of the store. That change may have removed a reason. */
  readonly changedMs: number;
}

/** Creates the invariant that a finalizer, which a controller removes, does not outlive its reason. */
export const heldInvariant = (
  controller: string,
  { id, says, finalizer, resources, finalizersOf, isNeeded }: Reason,
): Invariant => {
  const isHeld = (object: Parameters<Reason['isNeeded']>[0]): boolean =>
    (finalizersOf?.(object) ?? object.metadata?.finalizers ?? []).includes(finalizer);
  return invariant<State>({
    id,
    says,
    controller,
    kind: 'eventually',
    initial: () => ({ changedMs: 0 }),
    onCommit: (state, { before, after, atMs }) =>
      verdict(
        after === undefined || after.metadata?.deletionTimestamp !== undefined ? { changedMs: atMs } : state,
        after !== undefined && before === undefined && isHeld(after),
      ),
    atRest(state, live) {
      if (live.nowMs - state.changedMs < RELEASE_MS) return verdict(state, false);
      const left = resources
        .flatMap((resource) => live.list(resource))
        .find((object) => isHeld(object) && !isNeeded(object, live));
      return verdict(
        state,
        false,
        left && `${left.metadata?.name ?? ''} is held by ${finalizer} without a reason`,
      );
    },
  });
};
