import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/**
 * Number of writes without effect by one controller on one version of an object that are not a coincidence.
 */
const MANY_WRITES = 2;

/** Version of the last idle write, and number of idle writes on it. */
interface Idle {
  readonly version: string;
  readonly count: number;
}

/**
 * Invariant about writes to which the server responds without creating a version, so that there is no commit.
 */
export const idleWrites: Invariant = invariant<Record<string, Idle>>({
  id: 'requests/no-idle-write',
  says: 'no controller sends writes again and again that change nothing',
  controller: '*',
  kind: 'never',
  observations: ['write.answered'],
  initial: () => ({}),
  onObservation(state, observation) {
    if (observation.type !== 'write.answered' || observation.status !== 200) return undefined;
    const { process, call, version, isIdle } = observation;
    const name = `${process}: ${call}`;
    if (!isIdle) {
      delete state[name];
      return verdict(state, true);
    }
    const known = state[name];
    const count = known?.version === version ? known.count + 1 : 1;
    state[name] = { version, count };
    return verdict(
      state,
      true,
      count >= MANY_WRITES ? `${name} changed nothing of version ${version} ${count} times` : undefined,
    );
  },
});
