import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Consecutive failures of one kind of request, by process, controller and key. */
interface Failures {
  readonly count: number;
  readonly firstMs: number;
}

/** Number of consecutive failures that must take at least `SHORTEST_MS`. */
const MANY_FAILURES = 12;
/**
 * Minimum duration of `MANY_FAILURES` failures in milliseconds. A queue whose delays start at 5 ms and double
 * needs 10 s.
 */
const SHORTEST_MS = 3_000;

/** Status codes that report another state of the object. They are no failures of the request. */
const CHANGED = new Set(['404', '409', '410']);

const isFailure = (code: string): boolean => !/^[123]/.test(code) && !CHANGED.has(code);

/** Invariant: a request that fails repeatedly is sent with pauses. */
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
