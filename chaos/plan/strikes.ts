import { qualified } from '../../api/status/api-error.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Deviation, type Tape, editedTape, randomTape } from '../tape/tape.ts';
import { isAnyOf } from './patterns.ts';
import type { EventType, FaultPlan, PlannedFault, Rule } from './plan.ts';
import { type WireFault, wireFaults } from './wire-faults.ts';

/** A request on its way, and who sent it. */
export interface Passing {
  readonly info: RequestInfo;
  readonly user: string;
  readonly userAgent: string;
}

/** An event of a watch. */
export interface PassingEvent {
  readonly type: EventType;
  readonly namespace: string;
  readonly name: string;
}

/** A fault that strikes now. */
export interface Strike {
  readonly fault: WireFault;
  /** Milliseconds; undefined for as long as the connection does. */
  readonly lastsMs: number | undefined;
  readonly retryAfterSeconds: number;
  readonly code: number;
  /** Of a stale read: how many older views back. */
  readonly back: number;
}

/** A strike as the journal has it, one JSON object a line. */
export interface StrikeRecord {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly rule: string;
  readonly fault: WireFault;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** `jobs.batch`, `pods/status`; a path where it is no resource. */
  readonly target: string;
  readonly namespace: string;
  readonly name: string;
  readonly event?: EventType;
  readonly lastsMs?: number;
  readonly back?: number;
  /** What was chosen; a run that chooses the same meets the same faults. */
  readonly choices: readonly Deviation[];
}

/** How many older views there are within these bounds that a stale read could be given. */
export type Reach = (bounds: Pick<PlannedFault, 'revisions' | 'ageMs'>) => number;

/** Decides what goes wrong. */
export interface Strikes {
  /** The fault that a request meets. */
  onRequest(passing: Passing, reach: Reach): Strike | undefined;
  /** The fault that an event of a watch meets. */
  onEvent(watch: Passing, event: PassingEvent): Strike | undefined;
  /** Whether a rule is about events of this watch, so that they must be read. */
  concernsEvents(watch: Passing): boolean;
  /** Whether a rule is about stale reads of this request, so that answers must be kept. */
  concernsStale(passing: Passing): boolean;
}

export interface StrikesOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** What another run chose, in place of the seed. */
  readonly replay?: readonly Deviation[];
  readonly onStrike?: (strike: StrikeRecord) => void;
}

/** Steps on the way from the shortest to the longest. */
const LASTING_STEPS = 16;
/** Of a user agent; the rest tells clients no further apart. */
const LONGEST_NAME = 160;

/**
 * Draws from a choice tape whether a rule strikes. Requests and events that are alike, of one rule, client, verb and
 * resource, have a sequence of their own that is drawn from the seed and its name: the fifth `create jobs.batch` of a client
 * meets the same in each run, whatever else goes on meanwhile.
 */
export const createStrikes = (options: StrikesOptions): Strikes => new PlannedStrikes(options);

class PlannedStrikes implements Strikes {
  readonly #options: StrikesOptions;
  readonly #tape: Tape;
  readonly #startMs: number;
  readonly #lanes = new Map<string, { readonly random: Random; seen: number }>();
  readonly #struck = new Map<Rule, number>();
  #recorded = 0;

  constructor(options: StrikesOptions) {
    this.#options = options;
    // Each lane draws from a source of its own.
    this.#tape = options.replay ? editedTape(options.replay) : randomTape(createSeededRandom(options.seed));
    this.#startMs = options.clock.monotonic();
  }

  onRequest(passing: Passing, reach: Reach): Strike | undefined {
    for (const rule of this.#options.plan.rules) {
      if (wireFaults[rule.fault.name].events || !isAbout(rule, passing)) continue;
      if (!isAnyOf(rule.match.namespaces, passing.info.namespace)) continue;
      if (!isAnyOf(rule.match.names, passing.info.name)) continue;
      const views = rule.fault.name === 'stale-list' ? reach(rule.fault) : 0;
      const strike = this.#decide(rule, passing, undefined, views, fits(rule.fault.name, passing, views));
      if (strike !== undefined) return strike;
    }
    return undefined;
  }

  onEvent(watch: Passing, event: PassingEvent): Strike | undefined {
    for (const rule of this.#options.plan.rules) {
      if (!wireFaults[rule.fault.name].events || !isAbout(rule, watch)) continue;
      if (!rule.match.events.includes(event.type)) continue;
      if (!isAnyOf(rule.match.namespaces, event.namespace)) continue;
      if (!isAnyOf(rule.match.names, event.name)) continue;
      const strike = this.#decide(rule, watch, event, 0, true);
      if (strike !== undefined) return strike;
    }
    return undefined;
  }

  concernsEvents(watch: Passing): boolean {
    return this.#options.plan.rules.some(
      (rule) => wireFaults[rule.fault.name].events && isAbout(rule, watch),
    );
  }

  concernsStale(passing: Passing): boolean {
    return this.#options.plan.rules.some(
      (rule) => rule.fault.name === 'stale-list' && isAbout(rule, passing),
    );
  }

  #decide(
    rule: Rule,
    passing: Passing,
    event: PassingEvent | undefined,
    views: number,
    fitting: boolean,
  ): Strike | undefined {
    const { info, user, userAgent } = passing;
    const client = `${user} ${userAgent.slice(0, LONGEST_NAME)}`;
    const name = `${rule.name}: ${client} ${info.verb} ${targetOf(info)}`;
    const lane = this.#laneOf(name);
    lane.seen++;
    // Drawn every time, so that what follows does not depend on what was possible before.
    const drawn = lane.random.next() < rule.match.probability;
    const wanted = drawn && this.#isDue(rule, lane.seen);
    const took = this.#tape.choose(name, 2, () => (wanted && fitting ? 1 : 0));
    if (took === 0 || !fitting) return undefined;
    this.#struck.set(rule, (this.#struck.get(rule) ?? 0) + 1);
    const strike: Strike = {
      fault: rule.fault.name,
      lastsMs: this.#lasting(rule.fault, name, lane.random),
      retryAfterSeconds: rule.fault.retryAfterSeconds,
      code: rule.fault.code,
      back: views === 0 ? 0 : 1 + this.#choose(`${name}, back`, views, lane.random),
    };
    this.#record(rule, passing, event, strike);
    return strike;
  }

  #isDue(rule: Rule, seen: number): boolean {
    const { match } = rule;
    const atMs = this.#options.clock.monotonic() - this.#startMs;
    const struck = this.#struck.get(rule) ?? 0;
    return (
      atMs >= match.afterMs &&
      atMs < match.beforeMs &&
      struck < match.times &&
      (match.nth === undefined || match.nth === seen)
    );
  }

  #lasting({ lasts }: PlannedFault, lane: string, random: Random): number | undefined {
    if (lasts === undefined) return undefined;
    const [from, to] = lasts;
    if (from === to) return from;
    return from + ((to - from) * this.#choose(`${lane}, lasting`, LASTING_STEPS + 1, random)) / LASTING_STEPS;
  }

  #choose(label: string, n: number, random: Random): number {
    return this.#tape.choose(label, n, (_, of) => random.int(of));
  }

  #laneOf(name: string): { readonly random: Random; seen: number } {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane = { random: createSeededRandom(hashOf(name) ^ this.#options.seed), seen: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #record(rule: Rule, passing: Passing, event: PassingEvent | undefined, strike: Strike): void {
    const choices = this.#tape.deviations().slice(this.#recorded);
    this.#recorded += choices.length;
    const { info, user, userAgent } = passing;
    const { fault, lastsMs, back } = strike;
    this.#options.onStrike?.({
      atMs: Math.round(this.#options.clock.monotonic() - this.#startMs),
      rule: rule.name,
      fault,
      user,
      userAgent,
      verb: info.verb,
      target: targetOf(info),
      namespace: event?.namespace ?? info.namespace,
      name: event?.name ?? info.name,
      ...(event && { event: event.type }),
      ...(lastsMs !== undefined && { lastsMs: Math.round(lastsMs) }),
      ...(back > 0 && { back }),
      choices,
    });
  }
}

/** Whether a rule is about a request, but for the object: that of a watch is known with its events. */
function isAbout({ match, fault }: Rule, { info, user, userAgent }: Passing): boolean {
  const possible = wireFaults[fault.name].verbs;
  if (match.paths === undefined ? !info.isResourceRequest : !isAnyOf(match.paths, info.path)) return false;
  return (
    (match.verbs?.includes(info.verb) ?? true) &&
    (possible?.includes(info.verb) ?? true) &&
    isAnyOf(match.resources, targetOf(info)) &&
    isAnyOf(match.users, user) &&
    isAnyOf(match.userAgents, userAgent)
  );
}

/** Whether a fault makes sense for a request, besides its verb. */
function fits(fault: WireFault, { info: { query } }: Passing, views: number): boolean {
  switch (fault) {
    case 'stale-list':
      return views > 0;
    case 'expired-page':
      return query.has('continue');
    default:
      return true;
  }
}

/** `jobs.batch`, `deployments.apps/status`; the path of what is no resource. */
export const targetOf = (info: RequestInfo): string =>
  info.isResourceRequest
    ? `${qualified(info)}${info.subresource === '' ? '' : `/${info.subresource}`}`
    : info.path;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
