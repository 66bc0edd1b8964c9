import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  resourceOf,
  verdict,
} from './invariant.ts';

type Any = DeepReadonly<ApiObject>;

/** Objects that a controller protects with its finalizer. */
export interface Protection {
  readonly controller: string;
  readonly kind: Kind<never>;
  readonly finalizer: string;
  /**
   * Returns the uids of the users of an object. The object remains while one of those users remains that used
   * it when the deletion was accepted.
   */
  usersOf(object: Any, live: LiveView): readonly string[];
}

/** Uids of the users at the time of the deletion, by the uid of the deleted object. */
interface Kept {
  readonly [uid: string]: readonly string[];
}

/** Returns the invariants about the finalizer of one controller. */
export const protectionInvariants = ({
  controller,
  kind,
  finalizer,
  usersOf,
}: Protection): readonly Invariant[] => {
  const isHeld = (object: Any | undefined): boolean =>
    object?.metadata?.finalizers?.includes(finalizer) ?? false;
  const isEnding = (object: Any | undefined): boolean => object?.metadata?.deletionTimestamp !== undefined;
  const isReleased = (commit: Commit, before: Any | undefined): before is Any =>
    commit.actor === controller && isHeld(before) && !isHeld(commit.after);
  return [
    invariant<Kept>({
      id: `${controller}/no-release-while-used`,
      says: 'releases nothing while a user remains that existed at its deletion',
      controller,
      kind: 'never',
      initial: () => ({}),
      onCommit(kept, commit, live) {
        const before = isOf(commit, kind) ? commit.before : undefined;
        if (!before) return verdict(kept, false);
        if (isReleased(commit, before)) {
          const users = usersOf(before, live).filter((user) => kept[commit.uid]?.includes(user));
          const { [commit.uid]: wasKept, ...others } = kept;
          return verdict(
            others,
            wasKept !== undefined,
            users.length > 0 ? `${commit.name} was released while in use` : undefined,
          );
        }
        const isAccepted = !isEnding(before) && isEnding(commit.after);
        const users = isAccepted && isHeld(before) ? usersOf(before, live) : [];
        return verdict(users.length > 0 ? { ...kept, [commit.uid]: users } : kept, false);
      },
    }),
    invariant({
      id: `${controller}/no-release-undeleted`,
      says: 'releases nothing that was not deleted',
      controller,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const before = isOf(commit, kind) ? commit.before : undefined;
        if (!isReleased(commit, before)) return verdict(state, false);
        return verdict(
          state,
          true,
          isEnding(before) ? undefined : `${commit.name} was released without being deleted`,
        );
      },
    }),
    invariant({
      id: `${controller}/every-object-protected`,
      says: 'every existing object is protected',
      controller,
      kind: 'eventually',
      initial: () => null,
      atRest(state, live) {
        const there = live.list(resourceOf(kind)).filter((each) => !isEnding(each));
        const bare = there.find((each) => !isHeld(each));
        return verdict(state, there.length > 0, bare && `${bare.metadata?.name ?? ''} is not protected`);
      },
    }),
    invariant<readonly string[]>({
      id: `${controller}/unused-is-released`,
      says: 'a deleted object without users is released',
      controller,
      kind: 'eventually',
      initial: () => [],
      onCommit(ended, commit) {
        const before = isOf(commit, kind) ? commit.before : undefined;
        const isNew = isHeld(before) && isEnding(commit.after) && !ended.includes(commit.uid);
        return verdict(isNew ? [...ended, commit.uid].sort() : ended, false);
      },
      atRest(ended, live) {
        const held = live
          .list(resourceOf(kind))
          .find((each) => isEnding(each) && isHeld(each) && usersOf(each, live).length === 0);
        return verdict(ended, ended.length > 0, held && `${held.metadata?.name ?? ''} is held without users`);
      },
    }),
  ];
};
