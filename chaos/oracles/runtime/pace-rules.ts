import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Times of consecutive failures in milliseconds, by process and call, the oldest first. */
type Failures = Record<string, number[]>;

/**
 * Number of consecutive failures of one list or watch, and the minimum time in milliseconds that they take. An
 * informer doubles its delay from 0.8 s, and each of its attempts may be repeated three times within a second.
 */
const MANY = 24;
const LEAST_MS = 15_000;

/** Invariants of the pace of a process. */
export const paceRules: readonly Invariant[] = [
  invariant<Failures>({
    id: 'process/failing-read-backs-off',
    says: 'an informer whose lists or watches fail again and again repeats them ever less often',
    controller: '*',
    kind: 'never',
    observations: ['started', 'fetch.ended'],
    initial: () => ({}),
    onObservation(state, observation) {
      const { type, process, atMs } = observation;
      if (type === 'started') {
        for (const call of Object.keys(state)) if (call.startsWith(`${process} `)) delete state[call];
        return undefined;
      }
      if (type !== 'fetch.ended') return undefined;
      const { call, isFailure } = observation;
      const name = `${process} ${call}`;
      if (!isFailure) return void delete state[name];
      const failures = (state[name] ??= []);
      failures.push(atMs);
      if (failures.length > MANY) failures.shift();
      if (failures.length < MANY) return undefined;
      const tookMs = atMs - (failures[0] ?? atMs);
      return verdict(
        state,
        true,
        tookMs < LEAST_MS ? `${process}: ${call} failed ${MANY} times within ${tookMs} ms` : undefined,
      );
    },
  }),
];
