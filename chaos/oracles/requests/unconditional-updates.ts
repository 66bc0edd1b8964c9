import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

/** Senders that are no controllers. Event recorders own their Events. */
const NO_CONTROLLERS = new Set(['user', 'apiserver', 'events']);

/** Invariant about updates that replace an object whatever has happened to it since it was read. */
export const unconditionalUpdates: Invariant = invariant({
  id: 'requests/no-unconditional-update',
  says: 'an update, which replaces the whole object, carries the version that it was decided on',
  controller: '*',
  kind: 'never',
  initial: () => null,
  onCommit(state, { actor, verb, before, after, name, resource, subresource = '', decidedOn }) {
    if (verb !== 'update' || before === undefined || after === undefined || NO_CONTROLLERS.has(actor))
      return verdict(state, false);
    return verdict(
      state,
      true,
      decidedOn?.resourceVersion === undefined
        ? `${actor} updated ${`${resource} ${subresource}`.trim()} ${name} without a version`
        : undefined,
    );
  },
});
