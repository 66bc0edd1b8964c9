import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/**
 * Calls of unanswered writes whose repetition is unsafe, by process and identity: unconditional writes and
 * creations. A repeated creation under a given name is rejected as if another client had created the object.
 */
type Unanswered = Record<string, Record<string, string>>;

/**
 * True for a creation by a controller. A recorder repeats its Events deliberately: it has chosen their names,
 * and treats the rejection as success.
 */
const isCreation = (call: string): boolean => call.includes(' POST ') && !call.startsWith('events ');

/** Drops the creations under a given name whose object or collection is read. */
function forgetRead(unanswered: Record<string, string>, read: string): void {
  for (const [identity, call] of Object.entries(unanswered))
    if (!identity.includes('"generateName":') && read.startsWith(call.replace(' POST ', ' GET ')))
      delete unanswered[identity];
}

/** Invariants of the requests of a client. */
export const requestRules: readonly Invariant[] = [
  invariant<Unanswered>({
    id: 'process/no-unsafe-repetition',
    says: 'a creation that may have been carried out is not sent again, nor another write unless the server would refuse it',
    controller: '*',
    kind: 'never',
    observations: ['started', 'write.sent', 'write.unanswered', 'read.sent'],
    initial: () => ({}),
    onObservation(state, observation) {
      const { type, process } = observation;
      if (type === 'started') return void delete state[process];
      if (type === 'write.unanswered') {
        if (observation.isConditional && !isCreation(observation.call)) return undefined;
        (state[process] ??= {})[observation.identity] = observation.call;
        return verdict(state, true);
      }
      const unanswered = state[process];
      if (unanswered === undefined) return undefined;
      if (type === 'read.sent') return void forgetRead(unanswered, observation.call);
      if (type !== 'write.sent') return undefined;
      const repeated = unanswered[observation.identity];
      return repeated === undefined
        ? undefined
        : verdict(
            state,
            true,
            `${process}: ${repeated} was sent again, although it may have been carried out`,
          );
    },
  }),
];
