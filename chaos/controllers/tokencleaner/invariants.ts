import { secrets } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { expiryOf } from '../../invariants/bootstrap-tokens.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from '../../invariants/invariant.ts';

const CONTROLLER = 'tokencleaner';

/** Returns the invariants about the deletion of expired bootstrap tokens. */
export function tokenCleanerInvariants({ namespaces, secretTypes }: Vocabulary): readonly Invariant[] {
  const isToken = (secret: DeepReadonly<Secret>): boolean =>
    secret.type === secretTypes.bootstrapToken && secret.metadata?.namespace === namespaces.system;
  return [
    invariant({
      id: 'tokencleaner/only-expiring-tokens',
      says: 'never deletes a Secret that is not an expiring bootstrap token in its namespace',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const gone = commit.verb === 'delete' && commit.actor === CONTROLLER;
        if (!gone) return verdict(state, false);
        const secret = objectOf(commit, secrets, 'before');
        const isDue = secret !== undefined && isToken(secret) && expiryOf(secret) !== undefined;
        return verdict(
          state,
          true,
          isDue
            ? undefined
            : `deleted ${commit.resource} ${commit.name}, which is not an expiring bootstrap token`,
        );
      },
    }),
    invariant({
      id: 'tokencleaner/no-early-deletion',
      says: 'never deletes a token before its expiry by the clock of the API server',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const secret = objectOf(commit, secrets, 'before');
        if (commit.verb !== 'delete' || commit.actor !== CONTROLLER || !secret) return verdict(state, false);
        const isEarly = (expiryOf(secret) ?? Infinity) > commit.atMs;
        return verdict(state, true, isEarly ? `deleted token ${commit.name} before its expiry` : undefined);
      },
    }),
    invariant<readonly string[]>({
      id: 'tokencleaner/no-extended-deletion',
      says: 'never deletes a token whose expiry was extended after it was read',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => [],
      onCommit(extended, commit) {
        const before = objectOf(commit, secrets, 'before');
        const after = objectOf(commit, secrets, 'after');
        if (before && after && (expiryOf(after) ?? Infinity) > (expiryOf(before) ?? Infinity))
          return verdict([...new Set([...extended, commit.uid])].sort(), true);
        if (!before || after || !extended.includes(commit.uid)) return verdict(extended, false);
        const isEarly = commit.actor === CONTROLLER && (expiryOf(before) ?? Infinity) > commit.atMs;
        return verdict(
          extended.filter((uid) => uid !== commit.uid),
          true,
          isEarly ? `deleted token ${commit.name}, whose expiry had been extended` : undefined,
        );
      },
    }),
    invariant({
      id: 'tokencleaner/expired-is-deleted',
      says: 'an expired token is deleted',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      onCommit(state, commit) {
        const secret = objectOf(commit, secrets, 'before');
        const isDeletion = commit.verb === 'delete' && secret !== undefined && isToken(secret);
        return verdict(state, isDeletion && (expiryOf(secret) ?? Infinity) <= commit.atMs);
      },
      atRest(state, live) {
        // A finalizer may hold a token that was deleted in time, so deleted tokens are skipped.
        const left = liveObjects(live, secrets, namespaces.system).find(
          (secret) =>
            isToken(secret) &&
            secret.metadata?.deletionTimestamp === undefined &&
            (expiryOf(secret) ?? Infinity) <= live.nowMs,
        );
        return verdict(
          state,
          left !== undefined,
          left && `token ${left.metadata?.name ?? ''} has expired and still exists`,
        );
      },
    }),
  ];
}
