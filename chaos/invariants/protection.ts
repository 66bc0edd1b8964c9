import { persistentVolumeClaims, persistentVolumes, pods } from '../../api/groups/index.ts';
import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObjects,
  resourceOf,
  verdict,
} from './invariant.ts';

type Any = DeepReadonly<ApiObject>;

/** What a controller protects with a finalizer of its own name. */
interface Protection {
  readonly controller: 'pv-protection' | 'pvc-protection';
  readonly kind: Kind<never>;
  readonly finalizer: string;
  /** Who uses an object, by uid: it is kept for as long as one of those does who did when its deletion was accepted. */
  usersOf(object: Any, live: LiveView): readonly string[];
}

/** When finalizers come upon volumes and claims, and when they go. */
export const protectionInvariants = (vocabulary: Vocabulary): readonly Invariant[] => [
  ...protects({
    controller: 'pv-protection',
    kind: persistentVolumes,
    finalizer: vocabulary.key('', 'pv-protection'),
    usersOf: (volume) =>
      (volume as { readonly status?: { readonly phase?: string } }).status?.phase === 'Bound'
        ? ['its claim']
        : [],
  }),
  ...protects({
    controller: 'pvc-protection',
    kind: persistentVolumeClaims,
    finalizer: vocabulary.key('', 'pvc-protection'),
    usersOf: (claim, live) =>
      liveObjects(live, pods, claim.metadata?.namespace)
        .filter((pod) => uses(pod, claim))
        .map((pod) => pod.metadata?.uid ?? ''),
  }),
];

/** A pod on a node uses the claims that it names, and until it is shut down those that were made for it. */
function uses({ metadata = {}, spec }: DeepReadonly<Pod>, claim: Any): boolean {
  const isShutDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  const isOwn = (claim.metadata?.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid);
  const name = claim.metadata?.name;
  const volumes = spec?.nodeName ? (spec.volumes ?? []) : [];
  return volumes.some(({ name: volume, persistentVolumeClaim, ephemeral }) =>
    ephemeral
      ? `${metadata.name}-${volume}` === name && isOwn && !isShutDown
      : persistentVolumeClaim?.claimName === name,
  );
}

/** By uid of an object that is being deleted: who used it when that began. */
interface Kept {
  readonly [uid: string]: readonly string[];
}

const protects = ({ controller, kind, finalizer, usersOf }: Protection): readonly Invariant[] => {
  const isHeld = (object: Any | undefined): boolean =>
    object?.metadata?.finalizers?.includes(finalizer) ?? false;
  const isEnding = (object: Any | undefined): boolean => object?.metadata?.deletionTimestamp !== undefined;
  const isLetGo = (commit: Commit, before: Any | undefined): before is Any =>
    commit.actor === controller && isHeld(before) && !isHeld(commit.after);
  return [
    invariant<Kept>({
      id: `${controller}/N1`,
      says: 'lets nothing go while somebody uses it who did when it was deleted',
      controller,
      kind: 'never',
      initial: () => ({}),
      onCommit(kept, commit, live) {
        const before = isOf(commit, kind) ? commit.before : undefined;
        if (!before) return verdict(kept, false);
        if (isLetGo(commit, before)) {
          const users = usersOf(before, live).filter((user) => kept[commit.uid]?.includes(user));
          const { [commit.uid]: wasKept, ...others } = kept;
          return verdict(
            others,
            wasKept !== undefined,
            users.length > 0 ? `${commit.name} is let go while it is used` : undefined,
          );
        }
        const isAccepted = !isEnding(before) && isEnding(commit.after);
        const users = isAccepted && isHeld(before) ? usersOf(before, live) : [];
        return verdict(users.length > 0 ? { ...kept, [commit.uid]: users } : kept, false);
      },
    }),
    invariant({
      id: `${controller}/N2`,
      says: 'lets nothing go that nobody has deleted',
      controller,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const before = isOf(commit, kind) ? commit.before : undefined;
        if (!isLetGo(commit, before)) return verdict(state, false);
        return verdict(state, true, isEnding(before) ? undefined : `${commit.name} is let go, and stays`);
      },
    }),
    invariant({
      id: `${controller}/E1`,
      says: 'what is there is protected',
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
      id: `${controller}/E2`,
      says: 'what was deleted and is used no more is let go',
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
        return verdict(
          ended,
          ended.length > 0,
          held && `${held.metadata?.name ?? ''} is held, and nobody uses it`,
        );
      },
    }),
  ];
};
