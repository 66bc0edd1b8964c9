import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Failed writes of running reconciles, by process and reconcile, then by method and path. */
type Failures = Record<string, Record<string, string>>;

/** Statuses and errors after which a write has not been carried out, or may not have been, for a reason that passes. */
const isPassing = (code: string): boolean =>
  code === '429' || code.startsWith('5') || code.startsWith('ERR_');

/** Invariant about writes that fail for a passing reason in a reconcile that nothing repeats. */
export const swallowedFailures: Invariant = invariant<Failures>({
  id: 'requests/no-swallowed-failure',
  says: 'a reconcile whose write failed for a passing reason, and was not repeated, does not end as settled',
  controller: '*',
  kind: 'never',
  entries: ['started', 'stopped', 'reconcile.finished'],
  observations: ['write.ended'],
  initial: () => ({}),
  onObservation(state, observation) {
    if (observation.type !== 'write.ended') return undefined;
    const { process, reconcileId, method, path, code } = observation;
    const turn = `${process} ${reconcileId}`;
    const write = `${method} ${path}`;
    if (isPassing(code)) (state[turn] ??= {})[write] = code;
    else delete state[turn]?.[write];
    return undefined;
  },
  onEntry(state, { event, process }) {
    if (event === 'started' || event.kind === 'stopped') {
      for (const turn of Object.keys(state)) if (turn.startsWith(`${process} `)) delete state[turn];
      return undefined;
    }
    const turn = `${process} ${event.reconcileId ?? ''}`;
    const [write, code = ''] = Object.entries(state[turn] ?? {})[0] ?? [];
    delete state[turn];
    if (write === undefined) return undefined;
    return verdict(
      state,
      true,
      event.outcome === 'settled'
        ? `${process}: ${event.controller} settled ${event.key} although ${write} failed with ${code}`
        : undefined,
    );
  },
});
