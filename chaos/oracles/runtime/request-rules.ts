import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Calls of unanswered unconditional writes, by process and identity. */
type Unanswered = Record<string, Record<string, string>>;

/** Invariants of the requests of a client. */
export const requestRules: readonly Invariant[] = [
  invariant<Unanswered>({
    id: 'process/no-unsafe-repetition',
    says: 'a write that may have been carried out is not sent again, unless the server would refuse a second execution',
    controller: '*',
    kind: 'never',
    observations: ['started', 'write.sent', 'write.unanswered'],
    initial: () => ({}),
    onObservation(state, observation) {
      const { type, process } = observation;
      if (type === 'started') return void delete state[process];
      if (type === 'write.unanswered') {
        if (observation.isConditional) return undefined;
        (state[process] ??= {})[observation.identity] = observation.call;
        return verdict(state, true);
      }
      if (type !== 'write.sent' || state[process] === undefined) return undefined;
      const repeated = state[process][observation.identity];
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
