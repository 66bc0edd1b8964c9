import { type Journal, type JournalEvent, requesterOf } from '../../runtime/index.ts';
import type { Sent } from '../world/network.ts';
import type { RequestTraits } from '../world/request-traits.ts';

/** How often something was come by, by its name. */
export type Counts = Readonly<Record<string, number>>;

/** What one run came by. The parts of a name are separated by spaces, none of them has any. JSON. */
export interface Observed {
  /** `cronjob creating`. */
  readonly states: Counts;
  /** The state, the event's type, the state it led to: `cronjob observing xstate.done.actor.observe deciding`. */
  readonly transitions: Counts;
  /** Whose request, the state it was made in (`-` outside of any), verb, resource, traits: `cronjob creating create jobs -`. */
  readonly requests: Counts;
  /** A fault and the request it struck: `conflict cronjob creating create jobs`. */
  readonly strikes: Counts;
}

/** Listens to a run. It changes nothing about it. */
export interface Observer {
  /** The journal that one life of a process writes to; passes everything on to `next`. */
  journalOf(process: object, next: Journal): Journal;
  onRequest(sent: Sent): void;
  observed(): Observed;
}

/** States of the passes of one process, by controller and pass. */
type States = Map<string, string>;

const NOWHERE = '-';
const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

export function createObserver(): Observer {
  const lives = new WeakMap<object, States>();
  const states = new Map<string, number>();
  const transitions = new Map<string, number>();
  const requests = new Map<string, number>();
  const strikes = new Map<string, number>();

  const note = (passes: States, { kind, controller, passId = '', state, event }: JournalEvent): void => {
    const pass = `${controller} ${passId}`;
    // A dead process is not heard of again, so its passes are never finished.
    if (kind === 'pass.started' || kind === 'pass.finished') passes.delete(pass);
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
    return lives.get(process)?.get(`${requester.controller} ${requester.passId}`) ?? NOWHERE;
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
    observed: () => ({
      states: Object.fromEntries(states),
      transitions: Object.fromEntries(transitions),
      requests: Object.fromEntries(requests),
      strikes: Object.fromEntries(strikes),
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
