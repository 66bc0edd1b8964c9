import { builtinKinds } from '../../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  resourceOf,
  verdict,
} from '../../invariants/invariant.ts';
import { type Knowledge, createKnowledge, decidedSince, noteEntry } from '../knowledge/knowledge.ts';

type Any = DeepReadonly<ApiObject>;

interface State {
  readonly knowledge: Knowledge;
  /** Moments of creations, by uid. */
  readonly created: Record<string, number>;
}

/** A list of names in an object, and the resource of the named objects. */
interface NameList {
  readonly resource: string;
  readonly field: string;
  readonly names: string;
}

/** Lists of names that controllers of release 1.24 maintain. */
const nameLists: readonly NameList[] = [
  { resource: '/serviceaccounts', field: 'secrets', names: '/secrets' },
  { resource: '/serviceaccounts', field: 'imagePullSecrets', names: '/secrets' },
];

const resourceOfKind: ReadonlyMap<string, { readonly resource: string; readonly namespaced: boolean }> =
  new Map(
    builtinKinds.map((kind) => [kind.kind, { resource: resourceOf(kind), namespaced: kind.namespaced }]),
  );

type Lists = Readonly<Record<string, readonly { readonly name?: string }[] | undefined>>;

const namesIn = (object: Any, field: string): readonly string[] =>
  ((object as unknown as Lists)[field] ?? []).map(({ name = '' }) => name);

const ownersOf = ({ metadata }: Any): readonly DeepReadonly<OwnerReference>[] =>
  metadata?.ownerReferences ?? [];

/** Returns the existing objects to which a commit removes the references. */
function droppedBy(
  { before, after, resource, namespace, actor }: Commit,
  live: LiveView,
  keeping: ReadonlySet<string>,
): readonly Any[] {
  if (before === undefined || after === undefined) return [];
  const listed = nameLists
    .filter((each) => each.resource === resource)
    .flatMap(({ field, names }) => {
      const kept = namesIn(after, field);
      return namesIn(before, field).flatMap((name) =>
        kept.includes(name) ? [] : [live.get(names, namespace, name)],
      );
    });
  const kept = new Set(ownersOf(after).map(({ uid }) => uid));
  const owners = ownersOf(before)
    // A controller may release what it controls; its selector decides.
    .filter(({ uid, controller }) => !kept.has(uid) && (controller !== true || keeping.has(actor)))
    .map(({ kind, name, uid }) => {
      const owner = resourceOfKind.get(kind);
      const found = owner && live.get(owner.resource, owner.namespaced ? namespace : '', name);
      return found?.metadata?.uid === uid ? found : undefined;
    });
  return [...listed, ...owners].filter((each) => each !== undefined);
}

/**
 * Creates the invariant about references that are removed because an old cache does not show their object.
 * @param keeping controllers that must not even remove references to what controls an object
 */
export const droppedReferences = (keeping: ReadonlySet<string>): Invariant =>
  invariant<State>({
    id: 'requests/no-dropped-reference',
    says: 'no reference is removed to an object that existed when the reconcile began',
    controller: '*',
    kind: 'never',
    entries: ['started', 'stopped', 'reconcile.started', 'reconcile.finished'],
    initial: () => ({ knowledge: createKnowledge(), created: {} }),
    onCommit(state, commit, live) {
      const { before, after, uid, actor, node, name } = commit;
      const moment = ++state.knowledge.moment;
      if (before === undefined) {
        state.created[uid] = moment;
        return verdict(state, false);
      }
      if (after === undefined) {
        delete state.created[uid];
        return verdict(state, false);
      }
      const since = node === undefined ? undefined : decidedSince(state.knowledge, node, actor);
      if (actor === 'user' || since === undefined) return verdict(state, false);
      if (before.metadata?.ownerReferences === undefined && !nameLists.some(({ field }) => field in before))
        return verdict(state, false);
      const dropped = droppedBy(commit, live, keeping).find(
        ({ metadata }) =>
          metadata?.deletionTimestamp === undefined && (state.created[metadata?.uid ?? ''] ?? 0) < since,
      );
      return verdict(
        state,
        true,
        dropped &&
          `${actor} removed the reference of ${name} to ${dropped.metadata?.name ?? ''}, which exists`,
      );
    },
    onEntry(state, entry) {
      noteEntry(state.knowledge, entry);
      return undefined;
    },
  });
