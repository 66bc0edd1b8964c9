import { namespaces } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Namespace, NamespaceCondition } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
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
} from './invariant.ts';

const CONTROLLER = 'namespace';

type Place = DeepReadonly<Namespace>;

const conditionsOf = (place: Place | undefined): readonly NamespaceCondition[] =>
  (place?.status as { readonly conditions?: readonly NamespaceCondition[] } | undefined)?.conditions ?? [];

/** Whether a namespace says of itself that something is so; undefined where it says nothing of it. */
const says = (place: Place, type: string): boolean | undefined => {
  const found = conditionsOf(place).find((each) => each.type === type);
  return found && found.status === 'True';
};

/**
 * Namespaces that were seen to begin to end, and what there has been in them since: `namespace ends`, `namespace uid`, and
 * `namespace held` once something had a finalizer.
 */
type Ending = readonly string[];

const ENDS = 'ends';
const HELD = 'held';

/** What a namespace says of its content that cannot be. Of what could not be discovered or deleted it says nothing else. */
function untrue(place: Place, known: Ending): string | undefined {
  const { name = '' } = place.metadata ?? {};
  if (!known.includes(`${name} ${ENDS}`)) return undefined;
  const isSure =
    !says(place, 'NamespaceDeletionDiscoveryFailure') && !says(place, 'NamespaceDeletionContentFailure');
  const marks = [`${name} ${ENDS}`, `${name} ${HELD}`];
  const left = known.find((each) => each.startsWith(`${name} `) && !marks.includes(each));
  if (isSure && left !== undefined && says(place, 'NamespaceContentRemaining') === false)
    return `${name} says that nothing is left of ${left.slice(name.length + 1)}, which is there`;
  if (says(place, 'NamespaceFinalizersRemaining') && !known.includes(`${name} ${HELD}`))
    return `${name} says that finalizers are left, and nothing in it had any`;
  return undefined;
}

type ContentOf = (live: LiveView, name: string) => ReturnType<LiveView['list']>;

/** What has been in ending namespaces since they began to end: whenever one is swept, that is found. */
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
    id: 'namespace/E2',
    says: 'what a namespace that waits says of its content is true',
    controller: CONTROLLER,
    kind: 'never',
    // What is left it learns from lists of its own, which are then of the past.
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

/** What becomes of a namespace that is deleted, told of the namespaced resources there are. */
export function namespaceInvariants(
  { namespaceFinalizer }: Vocabulary,
  resources: readonly string[],
): readonly Invariant[] {
  const contentOf: ContentOf = (live, name) => resources.flatMap((resource) => live.list(resource, name));
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
    truthful(contentOf),
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
