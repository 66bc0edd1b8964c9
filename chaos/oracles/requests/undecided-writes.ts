import { equalJson } from '../../../api/schema/index.ts';
import { type Commit, type Invariant, invariant, verdict } from '../../invariants/invariant.ts';

interface State {
  /** Versions of rejected writes, by process, then by reconcile and path. */
  readonly refused: Record<string, Record<string, string>>;
  /**
   * Latest changes of the objects on which decisions depend, with their writers, by `plural namespace/name`.
   */
  readonly changes: Record<string, readonly Change[]>;
}

interface Change {
  readonly actor: string;
  readonly version: number;
}

/** Number of changes of an object that are remembered. */
const REMEMBERED = 8;

const objectIn = ({ resource, namespace, name }: Commit): string =>
  `${resource.slice(resource.indexOf('/') + 1)} ${namespace}/${name}`;

/** Returns the object of a path such as `/api/v1/namespaces/team/secrets/a/status`, in the format of `objectIn`. */
function objectOfPath(path: string): string {
  const [, root, ...parts] = path.split('/');
  const rest = parts.slice(root === 'api' ? 1 : 2);
  if (rest[0] !== 'namespaces' || rest.length < 4) return `${rest[0] ?? ''} /${rest[1] ?? ''}`;
  return `${rest[2] ?? ''} ${rest[1] ?? ''}/${rest[3] ?? ''}`;
}

/** True if a commit changes more than annotations and fields that the server maintains. */
function isRelevant({ before, after }: Commit): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.metadata?.uid !== after.metadata?.uid) return true;
  if (before.metadata?.deletionTimestamp !== after.metadata?.deletionTimestamp) return true;
  const [was, is] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  return Object.keys({ ...was, ...is }).some(
    (name) => name !== 'metadata' && !equalJson(was?.[name], is?.[name]),
  );
}

/** Returns the reconcile, the method and the path of a request. */
const attemptOf = (identity: string, call: string): string =>
  `${identity.slice(0, identity.indexOf(' '))} ${call}`;

/** Invariant: a rejected write is not sent on a newer version without a new decision. */
export const undecidedWrites: Invariant = invariant<State>({
  id: 'requests/no-write-without-decision',
  says: 'a write that was refused because its object had changed is not sent on the new version without a new decision',
  controller: '*',
  kind: 'never',
  observations: ['started', 'write.sent', 'write.answered'],
  entries: ['effect.started'],
  initial: () => ({ refused: {}, changes: {} }),
  onCommit(state, commit) {
    if (!isRelevant(commit)) return verdict(state, false);
    const name = objectIn(commit);
    const version = Number(
      commit.after?.metadata?.resourceVersion ?? commit.before?.metadata?.resourceVersion,
    );
    const known = state.changes[name] ?? [];
    state.changes[name] = [...known.slice(1 - REMEMBERED), { actor: commit.actor, version }];
    return verdict(state, false);
  },
  onEntry(state, { process, event }) {
    // A new effect is based on a new decision.
    if (event === 'started') return undefined;
    const refused = state.refused[process];
    for (const attempt of Object.keys(refused ?? {}))
      if (refused && attempt.includes(` ${event.controller} `)) delete refused[attempt];
    return undefined;
  },
  onObservation(state, observation) {
    const { type, process } = observation;
    if (type === 'started') return void delete state.refused[process];
    if (type !== 'write.sent' && type !== 'write.answered') return undefined;
    const { call, version } = observation;
    const attempt = attemptOf(observation.identity, call);
    const refused = (state.refused[process] ??= {});
    if (type === 'write.answered') {
      if (observation.status === 409) refused[attempt] = observation.version;
      return verdict(state, observation.status === 409);
    }
    const first = refused[attempt];
    if (first === undefined || version === undefined || version === first) return undefined;
    const [actor = ''] = call.split(' ', 1);
    const other = (state.changes[objectOfPath(call.slice(call.indexOf('/')))] ?? []).find(
      (each) => each.actor !== actor && each.version > Number(first) && each.version <= Number(version),
    );
    return (
      other &&
      verdict(
        state,
        true,
        `${process}: ${call}, decided on version ${first}, was sent on version ${version}, which ${other.actor} had changed`,
      )
    );
  },
});
