import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Time in milliseconds after which a controller may assume that an unanswered creation was not executed. */
const LOST_MS = 300_000;

/** Unanswered creations of objects with generated names in one process, with their times, by request. */
type Unanswered = Record<string, { readonly collection: string; readonly atMs: number }>;

/** Returns the identity of a request without the number of its reconcile. */
const requestOf = (identity: string): string => identity.slice(identity.indexOf(' ') + 1);

/** Returns the call that reads the collection in which a request creates an object. */
const readOf = (call: string): string => call.replace(' POST ', ' GET ');

/** Invariant: a later reconcile does not repeat an unanswered creation without a read. */
export const repeatedCreations: Invariant = invariant<Record<string, Unanswered>>({
  id: 'requests/no-twin',
  says: 'an object that may have been created is not created again before the controller has read whether it exists',
  controller: '*',
  kind: 'never',
  observations: ['started', 'write.sent', 'write.unanswered', 'read.sent'],
  initial: () => ({}),
  onObservation(state, observation) {
    const { type, process, atMs } = observation;
    if (type === 'started') return void delete state[process];
    if (type === 'write.unanswered') {
      const { identity, call, isConditional } = observation;
      // Reviews are also created without a name, but the server stores no object.
      if (isConditional || !call.includes(' POST ') || !identity.includes('"generateName":'))
        return undefined;
      (state[process] ??= {})[requestOf(identity)] = { collection: readOf(call), atMs };
      return verdict(state, true);
    }
    const unanswered = state[process];
    if (unanswered === undefined) return undefined;
    if (type === 'read.sent') {
      for (const [request, { collection }] of Object.entries(unanswered))
        if (collection === observation.call) delete unanswered[request];
      return undefined;
    }
    if (type !== 'write.sent') return undefined;
    const first = unanswered[requestOf(observation.identity)];
    return first === undefined || atMs - first.atMs > LOST_MS
      ? undefined
      : verdict(
          state,
          true,
          `${process}: ${observation.call} was repeated after ${atMs - first.atMs} ms, without a look at what exists`,
        );
  },
});
