import { events as eventKind } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Event } from '../../../api/types/core-v1.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  objectOf,
  resourceOf,
  verdict,
} from '../../invariants/invariant.ts';
import type { EventClaim } from './claim.ts';

type Any = DeepReadonly<ApiObject>;
type Said = Required<Pick<DeepReadonly<Event>, 'involvedObject' | 'reason' | 'message'>>;

/** A claim that no version of its object confirms yet; a status may be written after its Event. */
interface Pending {
  readonly resource: string;
  readonly at: string;
  readonly said: Said;
}

interface State {
  /** Creations and deletions by `create namespace/name` or `delete namespace/name`. */
  readonly acts: Record<string, true>;
  /** Latest versions of the objects that claims concern, by resource and `namespace/name`. */
  readonly versions: Record<string, Record<string, readonly Any[]>>;
  /** Failed writes by process and verb. */
  readonly failed: Record<string, true>;
  pending: readonly Pending[];
}

/** Number of versions of an object that are remembered. */
const REMEMBERED = 24;

/**
 * Reasons of Events about one request, with its verb and whether it succeeded. All controllers of release 1.24 use
 * them, and end the message of a success with the name of the object.
 */
const ACTS: Readonly<Record<string, readonly [verb: 'create' | 'delete', isDone: boolean]>> = {
  SuccessfulCreate: ['create', true],
  SuccessfulDelete: ['delete', true],
  FailedCreate: ['create', false],
  FailedDelete: ['delete', false],
};

function noteCommit(state: State, { resource, namespace, name, before, after }: Commit): void {
  const at = `${namespace}/${name}`;
  if (before === undefined) state.acts[`create ${at}`] = true;
  if (after === undefined || after.metadata?.deletionTimestamp !== undefined)
    state.acts[`delete ${at}`] = true;
  const versions = state.versions[resource];
  if (versions === undefined || after === undefined) return;
  versions[at] = [...(versions[at] ?? []).slice(1 - REMEMBERED), after];
}

const nameIn = (message: string): string => message.slice(message.lastIndexOf(' ') + 1);

/** True if a version of the object has been in the state that the Event states. */
function isConfirmed(claim: EventClaim, state: State, { resource, at, said }: Pending): boolean {
  const { isTrue } = claim;
  if (isTrue === 'absent') return false;
  return (state.versions[resource]?.[at] ?? []).some((each) => isTrue(each, said.message));
}

/** Returns what is false about an Event; claims that may become true are added to `pending`. */
function judge(
  claims: readonly EventClaim[],
  state: State,
  { namespace, node = '' }: Commit,
  said: Said,
  live: LiveView,
): string | undefined {
  const { reason, message, involvedObject } = said;
  const act = ACTS[reason];
  if (act !== undefined) {
    const [verb, isDone] = act;
    const is = isDone
      ? state.acts[`${verb} ${namespace}/${nameIn(message)}`]
      : state.failed[`${node} ${verb}`];
    return is === true ? undefined : textOf(said);
  }
  const claim = claims.find((each) => each.reason === reason && each.kind.kind === involvedObject.kind);
  if (claim === undefined) return undefined;
  const name = claim.named?.nameIn(message) ?? involvedObject.name ?? '';
  const about: Pending = {
    resource: resourceOf(claim.named?.kind ?? claim.kind),
    at: `${namespace}/${name}`,
    said,
  };
  if (claim.isTrue === 'absent') {
    const { metadata } = live.get(about.resource, namespace, name) ?? {};
    // An orphan no longer counts as the Job of its former owner.
    const isOwned = metadata?.ownerReferences?.some(({ uid }) => uid === involvedObject.uid) === true;
    return isOwned && state.acts[`delete ${about.at}`] === undefined ? textOf(said) : undefined;
  }
  if (!isConfirmed(claim, state, about)) state.pending = [...state.pending, about];
  return undefined;
}

const textOf = ({ reason, message, involvedObject }: Said): string =>
  `an Event of ${involvedObject.name ?? ''} says ${reason}: ${message}`;

/** Returns what an Event says for the first time; undefined for a repeated or combined one. */
function saidBy(commit: Commit): Said | undefined {
  const [before, after] = [objectOf(commit, eventKind, 'before'), objectOf(commit, eventKind, 'after')];
  const { reason, message, involvedObject } = after ?? {};
  if (commit.actor !== 'events' || reason === undefined || involvedObject === undefined) return undefined;
  if (message === undefined || before?.message === message || message.startsWith('(combined'))
    return undefined;
  return { reason, message, involvedObject };
}

/** Creates the invariant that Events say what has happened, and that failed writes are those of the process. */
export function eventInvariant(claims: readonly EventClaim[]): Invariant {
  const kinds = new Set(claims.flatMap(({ kind, named }) => [kind, ...(named ? [named.kind] : [])]));
  const claimOf = ({ said }: Pending): EventClaim | undefined =>
    claims.find((each) => each.reason === said.reason && each.kind.kind === said.involvedObject.kind);
  return invariant<State>({
    id: 'claims/events-are-true',
    says: 'an Event says what has happened: the object was created or deleted, the write failed, the state was reached',
    controller: '*',
    kind: 'never',
    observations: ['write.ended'],
    initial: () => ({
      acts: {},
      versions: Object.fromEntries([...kinds].map((kind) => [resourceOf(kind), {}])),
      failed: {},
      pending: [],
    }),
    onCommit(state, commit, live) {
      if (commit.resource !== resourceOf(eventKind)) {
        noteCommit(state, commit);
        return verdict(state, false);
      }
      const said = saidBy(commit);
      if (said === undefined) return verdict(state, false);
      return verdict(state, true, judge(claims, state, commit, said, live));
    },
    onObservation(state, observation) {
      if (observation.type !== 'write.ended') return undefined;
      const { process, method, code } = observation;
      const verb = method === 'POST' ? 'create' : 'delete';
      if (!/^[123]/.test(code)) state.failed[`${process} ${verb}`] = true;
      return undefined;
    },
    atRest(state, live) {
      const wrong = state.pending.find((each) => {
        const claim = claimOf(each);
        const [namespace = '', name = ''] = each.at.split('/');
        // A deleted object may have ended before it reached the state.
        if (claim === undefined || live.get(each.resource, namespace, name) === undefined) return false;
        return !isConfirmed(claim, state, each);
      });
      return verdict(state, false, wrong && textOf(wrong.said));
    },
  });
}
