import { namespaces } from '../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from './invariant.ts';

const CONTROLLER = 'namespace';

/** What becomes of a namespace that is deleted, told of the namespaced resources there are. */
export function namespaceInvariants(
  { namespaceFinalizer }: Vocabulary,
  resources: readonly string[],
): readonly Invariant[] {
  const contentOf = (live: LiveView, name: string) =>
    resources.flatMap((resource) => live.list(resource, name));
  return [
    invariant({
      id: 'namespace/N1',
      says: 'never lets a namespace go that holds an object',
      controller: CONTROLLER,
      kind: 'never',
      // What is left it learns from lists of its own, which are then of the past.
      unless: 'stale-list',
      initial: () => null,
      onCommit(state, commit, live) {
        const had = objectOf(commit, namespaces, 'before')?.spec?.finalizers ?? [];
        const has = objectOf(commit, namespaces, 'after')?.spec?.finalizers ?? [];
        const isLetGo = had.includes(namespaceFinalizer) && !has.includes(namespaceFinalizer);
        if (commit.actor !== CONTROLLER || !isLetGo) return verdict(state, false);
        const [left] = contentOf(live, commit.name);
        return verdict(state, true, left && `let ${commit.name} go with ${left.metadata?.name ?? ''} in it`);
      },
    }),
    invariant({
      id: 'namespace/N2',
      says: 'lets go the namespace that it has looked at, and touches nothing that is in none',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const { actor, name, uid, resource, verb, decidedOn = {} } = commit;
        if (actor !== CONTROLLER || commit.namespace !== '') return verdict(state, false);
        if (!isOf(commit, namespaces)) return verdict(state, true, `${verb} of ${resource} ${name}`);
        const isThat =
          decidedOn.uid === uid || decidedOn.resourceVersion === commit.before?.metadata?.resourceVersion;
        return verdict(state, true, isThat ? undefined : `${verb} of a ${name} that it had not looked at`);
      },
    }),
    invariant({
      id: 'namespace/N3',
      says: 'deletes nothing outside namespaces that are being deleted',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        if (commit.actor !== CONTROLLER || isOf(commit, namespaces)) return verdict(state, false);
        const namespace = liveObject(live, namespaces, '', commit.namespace);
        const isEnding = namespace?.metadata?.deletionTimestamp !== undefined;
        return verdict(
          state,
          true,
          isEnding
            ? undefined
            : `${commit.verb} of ${commit.name} in ${commit.namespace}, which is not being deleted`,
        );
      },
    }),
    invariant({
      id: 'namespace/N4',
      says: 'takes no finalizer from what a namespace holds',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        if (commit.actor !== CONTROLLER || isOf(commit, namespaces)) return verdict(state, false);
        const had = commit.before?.metadata?.finalizers ?? [];
        const has = commit.after?.metadata?.finalizers ?? [];
        // With the last of its own finalizers gone an object goes too; who took that one is seen before.
        const lost = commit.after ? had.find((each) => !has.includes(each)) : had[0];
        return verdict(state, true, lost && `took ${lost} from ${commit.name}`);
      },
    }),
    invariant({
      id: 'namespace/E1',
      says: 'a namespace that is deleted goes once nothing in it waits for others',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      atRest(state, live) {
        const left = liveObjects(live, namespaces).find(
          ({ metadata }) =>
            metadata?.deletionTimestamp !== undefined &&
            contentOf(live, metadata.name ?? '').every(
              (each) => (each.metadata?.finalizers ?? []).length === 0,
            ),
        );
        return verdict(state, true, left && `${left.metadata?.name ?? ''} is still there`);
      },
    }),
    invariant({
      id: 'namespace/N6',
      says: 'no object is in a namespace that is not there',
      controller: CONTROLLER,
      kind: 'eventually',
      // What it let go by lists of the past.
      unless: 'stale-list',
      initial: () => null,
      atRest(state, live) {
        const stray = resources
          .flatMap((resource) => live.list(resource))
          .find(({ metadata }) => !liveObject(live, namespaces, '', metadata?.namespace ?? ''));
        return verdict(state, true, stray && `${stray.metadata?.name ?? ''} is in a namespace that is gone`);
      },
    }),
  ];
}
