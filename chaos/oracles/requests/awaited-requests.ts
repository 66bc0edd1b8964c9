import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Calls without a response, by process and effect of a reconcile. */
type Open = Record<string, string[]>;

/** Invariant about requests that an effect sends without waiting for the response. */
export const awaitedRequests: Invariant = invariant<Open>({
  id: 'requests/no-unawaited-request',
  says: 'no effect ends successfully before each of its requests is answered',
  controller: '*',
  kind: 'never',
  entries: ['started', 'effect.done', 'effect.failed', 'reconcile.finished'],
  observations: ['request.sent', 'request.ended'],
  initial: () => ({}),
  onObservation(state, observation) {
    const { type, process } = observation;
    if (type === 'request.sent') (state[`${process} ${observation.effect}`] ??= []).push(observation.call);
    if (type === 'request.ended') {
      const calls = state[`${process} ${observation.effect}`];
      const at = calls?.indexOf(observation.call) ?? -1;
      if (calls && at >= 0) calls.splice(at, 1);
    }
    return undefined;
  },
  onEntry(state, { process, event }) {
    if (event === 'started') {
      for (const effect of Object.keys(state)) if (effect.startsWith(`${process} `)) delete state[effect];
      return undefined;
    }
    const { kind, reconcileId = '', state: name = '', key } = event;
    if (kind === 'reconcile.finished') {
      const own = `${process} ${reconcileId} `;
      for (const effect of Object.keys(state)) if (effect.startsWith(own)) delete state[effect];
      return undefined;
    }
    const effect = `${process} ${reconcileId} ${name}`;
    const calls = state[effect];
    if (calls === undefined) return undefined;
    delete state[effect];
    const [call] = calls;
    if (kind === 'effect.failed') return undefined;
    return verdict(
      state,
      true,
      call && `${process}: the effect ${name} of ${key} ended before ${call} was answered`,
    );
  },
});
