import { namespaces } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Namespace, NamespaceCondition } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

const CONTROLLER = 'namespace';

type Place = DeepReadonly<Namespace>;

const conditionsOf = (place: Place | undefined): readonly NamespaceCondition[] =>
  (place?.status as { readonly conditions?: readonly NamespaceCondition[] } | undefined)?.conditions ?? [];

/** Returns the status of a namespace's condition; undefined if it does not have the condition. */
const says = (place: Place, type: string): boolean | undefined => {
  const found = conditionsOf(place).find((each) => each.type === type);
  return found && found.status === 'True';
};

/**
 * Terminating namespaces, and their content since they started terminating. Entries are `namespace ends`,
 * `namespace uid`, and `namespace held` once an object had a finalizer.
 */
type Ending = readonly string[];

const ENDS = 'ends';
const HELD = 'held';

/**
 * Returns the first condition of a namespace that is false; undefined if there is none. After failures,
 * conditions about content are not checked.
 */
function untrue(place: Place, known: Ending): string | undefined {
  const { name = '' } = place.metadata ?? {};
  if (!known.includes(`${name} ${ENDS}`)) return undefined;
  const isSure =
    !says(place, 'NamespaceDeletionDiscoveryFailure') && !says(place, 'NamespaceDeletionContentFailure');
  const marks = [`${name} ${ENDS}`, `${name} ${HELD}`];
  const left = known.find((each) => each.startsWith(`${name} `) && !marks.includes(each));
  if (isSure && left !== undefined && says(place, 'NamespaceContentRemaining') === false)
    return `${name} reports no remaining content although ${left.slice(name.length + 1)} exists`;
  if (says(place, 'NamespaceFinalizersRemaining') && !known.includes(`${name} ${HELD}`))
    return `${name} reports remaining finalizers although its content had none`;
  return undefined;
}

type ContentOf = (live: LiveView, name: string) => ReturnType<LiveView['list']>;

/**
 * Returns all content that terminating namespaces have had, because the conditions describe an earlier time.
 */
const remembered = (contentOf: ContentOf, known: Ending, commit: Commit, live: LiveView): Ending => {
  const { name, namespace, uid } = commit;
  if (isOf(commit, namespaces)) {
    const others = known.filter((each) => !each.startsWith(`${name} `));
    if (!commit.after?.metadata?.deletionTimestamp) return others.length === known.length ? known : others;
    if (commit.before?.metadata?.deletionTimestamp) return known;
    const content = contentOf(live, name);
    const held = content.some(({ metadata }) => metadata?.finalizers?.length) ? [`${name} ${HELD}`] : [];
    const there = content.map(({ metadata }) => `${name} ${metadata?.uid ?? ''}`);
    return [...others, `${name} ${ENDS}`, ...held, ...there].sort();
  }
  if (!known.includes(`${namespace} ${ENDS}`)) return known;
  const isHeld = Boolean(commit.after?.metadata?.finalizers?.length);
  const more = isHeld && !known.includes(`${namespace} ${HELD}`) ? [...known, `${namespace} ${HELD}`] : known;
  const left = commit.after ? more : more.filter((each) => each !== `${namespace} ${uid}`);
  return left.length === known.length ? known : [...left].sort();
};

const truthful = (contentOf: ContentOf): Invariant =>
  invariant<Ending>({
    id: 'namespace/true-conditions',
    says: 'the conditions of a terminating namespace are true',
    controller: CONTROLLER,
    kind: 'never',
    // The controller lists the remaining content, and a stale list misleads it.
    unless: 'stale-list',
    initial: () => [],
    onCommit(known, commit, live) {
      const state = remembered(contentOf, known, commit, live);
      const place = objectOf(commit, namespaces, 'after');
      const before = objectOf(commit, namespaces, 'before');
      const isSaid = JSON.stringify(conditionsOf(place)) !== JSON.stringify(conditionsOf(before));
      if (commit.actor !== CONTROLLER || !place?.metadata?.deletionTimestamp || !isSaid)
        return verdict(state, false);
      return verdict(state, true, untrue(place, state));
    },
  });

/** Returns the invariants about deleted namespaces. `resources` are the namespaced resources of the world. */
export function namespaceInvariants(
  { namespaceFinalizer }: Vocabulary,
  resources: readonly string[],
): readonly Invariant[] {
  const contentOf: ContentOf = (live, name) => resources.flatMap((resource) => live.list(resource, name));
  return [
    invariant({
      id: 'namespace/no-early-release',
      says: 'never releases a namespace that contains objects',
      controller: CONTROLLER,
      kind: 'never',
      // The controller lists the remaining content, and a stale list misleads it.
      unless: 'stale-list',
      initial: () => null,
      onCommit(state, commit, live) {
        const had = objectOf(commit, namespaces, 'before')?.spec?.finalizers ?? [];
        const has = objectOf(commit, namespaces, 'after')?.spec?.finalizers ?? [];
        const isReleased = had.includes(namespaceFinalizer) && !has.includes(namespaceFinalizer);
        if (commit.actor !== CONTROLLER || !isReleased) return verdict(state, false);
        const [left] = contentOf(live, commit.name);
        return verdict(
          state,
          true,
          left && `released ${commit.name} with ${left.metadata?.name ?? ''} in it`,
        );
      },
    }),
    invariant({
      id: 'namespace/only-read-namespace-released',
      says: 'releases the namespace that it has read, and writes no cluster-scoped object',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const { actor, name, uid, resource, verb, decidedOn = {} } = commit;
        if (actor !== CONTROLLER || commit.namespace !== '') return verdict(state, false);
        if (!isOf(commit, namespaces)) return verdict(state, true, `${verb} of ${resource} ${name}`);
        const isThat =
          decidedOn.uid === uid || decidedOn.resourceVersion === commit.before?.metadata?.resourceVersion;
        return verdict(state, true, isThat ? undefined : `${verb} of a ${name} that it had not read`);
      },
    }),
    invariant({
      id: 'namespace/no-outside-deletion',
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
      id: 'namespace/no-finalizer-removed',
      says: 'removes no finalizer from the content of a namespace',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        if (commit.actor !== CONTROLLER || isOf(commit, namespaces)) return verdict(state, false);
        const had = commit.before?.metadata?.finalizers ?? [];
        const has = commit.after?.metadata?.finalizers ?? [];
        // Removing the last finalizer also deletes the object, so the previous state is compared.
        const lost = commit.after ? had.find((each) => !has.includes(each)) : had[0];
        return verdict(state, true, lost && `removed ${lost} from ${commit.name}`);
      },
    }),
    invariant({
      id: 'namespace/empty-is-removed',
      says: 'a deleted namespace is removed once none of its content has finalizers',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      onCommit(state, commit) {
        const wasEnding = objectOf(commit, namespaces, 'before')?.metadata?.deletionTimestamp !== undefined;
        return verdict(state, wasEnding && commit.after === undefined);
      },
      atRest(state, live) {
        const left = liveObjects(live, namespaces).find(
          ({ metadata }) =>
            metadata?.deletionTimestamp !== undefined &&
            contentOf(live, metadata.name ?? '').every(
              (each) => (each.metadata?.finalizers ?? []).length === 0,
            ),
        );
        return verdict(state, left !== undefined, left && `${left.metadata?.name ?? ''} still exists`);
      },
    }),
    truthful(contentOf),
    invariant({
      id: 'namespace/no-stray-object',
      says: 'no object is in a missing namespace',
      controller: CONTROLLER,
      kind: 'eventually',
      // A stale list may make the controller release the namespace too early.
      unless: 'stale-list',
      initial: () => null,
      atRest(state, live) {
        const content = resources.flatMap((resource) => live.list(resource));
        const stray = content.find(
          ({ metadata }) => !liveObject(live, namespaces, '', metadata?.namespace ?? ''),
        );
        return verdict(
          state,
          content.length > 0,
          stray && `${stray.metadata?.name ?? ''} is in a deleted namespace`,
        );
      },
    }),
  ];
}
