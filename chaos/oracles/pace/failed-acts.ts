import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Failures of one kind of request in a row, by process, controller and key. */
interface Failures {
  readonly count: number;
  readonly firstMs: number;
}

/** Number of failures in a row from which they must take time. */
const MANY_FAILURES = 12;
/** Shortest time for that many failures in milliseconds; a queue that starts at 5 ms and doubles needs 10 s. */
const SHORTEST_MS = 3_000;

/** Statuses that report another state of the object, which is no failure of the request. */
const CHANGED = new Set(['404', '409', '410']);

const isFailure = (code: string): boolean => !/^[123]/.test(code) && !CHANGED.has(code);

/** Invariant that a request that fails again and again is not sent without pauses. */
export const failedActs: Invariant = invariant<Record<string, Record<string, Failures>>>({
  id: 'pace/failed-request-backs-off',
  says: 'a reconcile whose writes fail is repeated with pauses, until one succeeds',
  controller: '*',
  kind: 'never',
  observations: ['started', 'write.ended'],
  initial: () => ({}),
  onObservation(state, observation) {
    const { type, process, atMs } = observation;
    if (type === 'started') return void delete state[process];
    if (type !== 'write.ended') return undefined;
    const { controller, key, method, path, code } = observation;
    const failures = (state[process] ??= {});
    const act = `${controller} ${key} ${method} ${path}`;
    if (!isFailure(code)) return void delete failures[act];
    const { count, firstMs } = failures[act] ?? { count: 0, firstMs: atMs };
    failures[act] = { count: count + 1, firstMs };
    if (count + 1 < MANY_FAILURES) return verdict(state, count > 0);
    delete failures[act];
    const ms = atMs - firstMs;
    return verdict(
      state,
      true,
      ms < SHORTEST_MS ? `${process}: ${act} failed ${MANY_FAILURES} times within ${ms} ms` : undefined,
    );
  },
});
