import { qualified } from '../../api/status/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/index.ts';
import { type Random, createSeededRandom } from '../../base/random/index.ts';
import { type Deviation, type Tape, editedTape, randomTape } from '../tape/tape.ts';
import { isAnyOf } from './patterns.ts';
import type { EventType, FaultPlan, PlannedFault, Rule } from './plan.ts';
import { type WireFault, wireFaults } from './wire-faults.ts';

/** A request with its sender. */
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

/** A fault to inject now. */
export interface Strike {
  readonly fault: WireFault;
  /** Duration in milliseconds; undefined for as long as the connection lasts. */
  readonly lastsMs: number | undefined;
  readonly retryAfterSeconds: number;
  readonly code: number;
  /** Number of versions that a stale read goes back. */
  readonly back: number;
}

/** An injected fault as one JSON line of the journal. */
export interface StrikeRecord {
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly rule: string;
  readonly fault: WireFault;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** Resource such as `jobs.batch` or `pods/status`; the path of a non-resource request. */
  readonly target: string;
  readonly namespace: string;
  readonly name: string;
  readonly event?: EventType;
  readonly lastsMs?: number;
  readonly back?: number;
  /** Choices made; a run with equal choices has equal faults. */
  readonly choices: readonly Deviation[];
}

/** Returns the number of older versions within the bounds that a stale read could return. */
export type Reach = (bounds: Pick<PlannedFault, 'revisions' | 'ageMs'>) => number;

/** Decides which faults to inject. */
export interface Strikes {
  /** Returns the fault of a request. */
  onRequest(passing: Passing, reach: Reach): Strike | undefined;
  /** Returns the fault of a watch event. */
  onEvent(watch: Passing, event: PassingEvent): Strike | undefined;
  /** True if a rule concerns events of this watch, so that they must be parsed. */
  concernsEvents(watch: Passing): boolean;
  /** True if a rule concerns stale reads of this request, so that responses must be kept. */
  concernsStale(passing: Passing): boolean;
}

export interface StrikesOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Choices of a recorded run, used instead of the seed. */
  readonly replay?: readonly Deviation[];
  readonly onStrike?: (strike: StrikeRecord) => void;
}

/** Number of steps between the shortest and the longest duration. */
const LASTING_STEPS = 16;
/** Maximum length of a user agent in labels; longer ones do not distinguish clients further. */
const LONGEST_NAME = 160;

/**
 * Creates the decisions from a choice tape.
 *
 * Equal requests of one rule, client, verb and resource share a random sequence, derived from the seed and
 * their name. The fifth `create jobs.batch` of a client therefore meets the same fault in each run, whatever
 * else happens.
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
    // Each sequence draws from its own source.
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
    // Draws every time, so that later results do not depend on what was possible before.
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

/**
 * True if a rule concerns a request, ignoring the object. A watch's objects are known only with its events.
 */
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

/** True if a fault is possible for a request, apart from its verb. */
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

/**
 * Returns a resource such as `jobs.batch` or `deployments.apps/status`; the path of a non-resource request.
 */
export const targetOf = (info: RequestInfo): string =>
  info.isResourceRequest
    ? `${qualified(info)}${info.subresource === '' ? '' : `/${info.subresource}`}`
    : info.path;

/** Returns the FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
