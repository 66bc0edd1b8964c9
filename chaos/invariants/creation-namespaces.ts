import { namespaces } from '../../api/groups/core-v1.ts';
import { type Invariant, invariant, liveObject, verdict } from './invariant.ts';

/**
 * Returns an invariant of a controller that creates an object in each namespace.
 * @param name second part of the invariant's id, after the controller's name
 * @param says description, such as `never creates an account in a missing or terminating namespace`
 */
export const createsOnlyInLiveNamespaces = (controller: string, name: string, says: string): Invariant =>
  invariant({
    id: `${controller}/${name}`,
    says,
    controller,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      if (commit.actor !== controller || commit.verb !== 'create') return verdict(state, false);
      const namespace = liveObject(live, namespaces, '', commit.namespace);
      const isFit = namespace !== undefined && namespace.status?.phase !== 'Terminating';
      return verdict(state, true, isFit ? undefined : `created ${commit.name} in ${commit.namespace}`);
    },
  });
