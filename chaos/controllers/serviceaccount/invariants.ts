import { namespaces, serviceAccounts } from '../../../api/groups/core-v1.ts';
import {
  type Invariant,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  verdict,
} from '../../invariants/invariant.ts';
import { createsOnlyInLiveNamespaces } from '../../invariants/creation-namespaces.ts';

const CONTROLLER = 'serviceaccount';
const NAMES = ['default'];

/** Invariants about the default ServiceAccounts of namespaces. */
export const serviceAccountInvariants: readonly Invariant[] = [
  createsOnlyInLiveNamespaces(
    CONTROLLER,
    'no-create-in-ending-namespace',
    'never creates an account in a missing or terminating namespace',
  ),
  invariant({
    id: 'serviceaccount/no-account-changed',
    says: 'never changes or deletes an account',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      const isNew = commit.verb === 'create' && isOf(commit, serviceAccounts);
      return verdict(state, true, isNew ? undefined : `${commit.verb} of ${commit.resource} ${commit.name}`);
    },
  }),
  invariant({
    id: 'serviceaccount/only-listed-accounts',
    says: 'creates only accounts of its list',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      if (commit.actor !== CONTROLLER || commit.verb !== 'create') return verdict(state, false);
      return verdict(state, true, NAMES.includes(commit.name) ? undefined : `created ${commit.name}`);
    },
  }),
  invariant({
    id: 'serviceaccount/every-namespace-has-accounts',
    says: 'every active namespace has its accounts',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const active = liveObjects(live, namespaces).filter(
        ({ metadata, status }) => !metadata?.deletionTimestamp && status?.phase !== 'Terminating',
      );
      const bare = active.find(({ metadata }) =>
        NAMES.some((name) => !liveObject(live, serviceAccounts, metadata?.name ?? '', name)),
      );
      return verdict(state, active.length > 0, bare && `${bare.metadata?.name ?? ''} lacks an account`);
    },
  }),
];
