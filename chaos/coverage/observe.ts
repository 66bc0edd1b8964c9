import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Journal, type JournalEvent, requesterOf } from '../../runtime/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { movesOf } from '../oracles/lifecycles/moves.ts';
import type { Sent } from '../world/network.ts';
import type { RequestTraits } from '../world/request-traits.ts';

/** Number of occurrences by name. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Parts that one run covered, as JSON. A name consists of components without spaces, joined by single spaces.
 */
export interface Observed {
  /** States, such as `cronjob creating`. */
  readonly states: Counts;
  /** State, event type and target state: `cronjob observing xstate.done.actor.observe deciding`. */
  readonly transitions: Counts;
  /**
   * Actor, state (`-` if there is none), verb, resource and traits of each request: `cronjob creating create
   * jobs -`.
   */
  readonly requests: Counts;
  /** Fault and affected request: `conflict cronjob creating create jobs`. */
  readonly strikes: Counts;
  /** Moves of objects: `certificate-request Approved Issued csrsigning`. */
  readonly moves: Counts;
}

/** Records a run without influencing it. */
export interface Observer {
  /** Returns a journal for one process. It passes all entries on to `next`. */
  journalOf(process: object, next: Journal): Journal;
  onRequest(sent: Sent): void;
  onCommit(commit: Commit): void;
  observed(): Observed;
}

/** Current states of the reconciliations of one process, by controller and id. */
type States = Map<string, string>;

const NOWHERE = '-';
const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

const countMoves = (counts: Map<string, number>, commit: Commit, vocabulary: Vocabulary): void => {
  for (const { lifecycle, from, to } of movesOf(commit, vocabulary))
    count(counts, `${lifecycle.id} ${from} ${to} ${commit.actor}`);
};

export function createObserver(vocabulary: Vocabulary): Observer {
  const lives = new WeakMap<object, States>();
  const states = new Map<string, number>();
  const transitions = new Map<string, number>();
  const requests = new Map<string, number>();
  const strikes = new Map<string, number>();
  const moves = new Map<string, number>();

  const note = (passes: States, { kind, controller, reconcileId = '', state, event }: JournalEvent): void => {
    const pass = `${controller} ${reconcileId}`;
    // Reconciliations of a crashed process never finish, so a new reconcile with the same id replaces them.
    if (kind === 'reconcile.started' || kind === 'reconcile.finished') passes.delete(pass);
    if (kind !== 'state' || state === undefined) return;
    const before = passes.get(pass);
    passes.set(pass, state);
    count(states, `${controller} ${state}`);
    if (before !== undefined && event !== undefined)
      count(transitions, `${controller} ${before} ${event} ${state}`);
  };
  const stateAt = ({ process, caller }: Sent): string => {
    const requester = caller && requesterOf(caller);
    if (requester === undefined) return NOWHERE;
    return lives.get(process)?.get(`${requester.controller} ${requester.reconcileId}`) ?? NOWHERE;
  };
  return {
    journalOf(process, next) {
      const passes: States = new Map();
      lives.set(process, passes);
      return {
        enabled: true,
        record(event) {
          note(passes, event);
          next.record(event);
        },
        read: (query) => next.read(query),
        subscribe: (listener) => next.subscribe(listener),
        around: (fromMs, toMs) => next.around(fromMs, toMs),
        finished: (visit) => next.finished(visit),
        get size() {
          return next.size;
        },
        get bytes() {
          return next.bytes;
        },
      };
    },
    onRequest(sent) {
      const { actor, verb, target, traits, fault } = sent;
      const request = `${actor} ${stateAt(sent)} ${verb} ${target}`;
      count(requests, `${request} ${writeTraits(traits)}`);
      if (fault !== undefined) count(strikes, `${fault} ${request}`);
    },
    onCommit: (commit) => countMoves(moves, commit, vocabulary),
    observed: () => ({
      states: Object.fromEntries(states),
      transitions: Object.fromEntries(transitions),
      requests: Object.fromEntries(requests),
      strikes: Object.fromEntries(strikes),
      moves: Object.fromEntries(moves),
    }),
  };
}

const TRAITS = ['named', 'paged', 'continued'] as const;

const writeTraits = (traits: RequestTraits): string =>
  TRAITS.filter((trait) => traits[trait]).join('+') || NOWHERE;

export function readTraits(verb: string, text: string): RequestTraits {
  const has = new Set(text.split('+'));
  return { verb, named: has.has('named'), paged: has.has('paged'), continued: has.has('continued') };
}
