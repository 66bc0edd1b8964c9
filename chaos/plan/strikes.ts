import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/index.ts';
import { type Random, createSeededRandom } from '../../base/random/index.ts';
import { type Deviation, type Tape, editedTape, randomTape } from '../tape/tape.ts';
import { type Passing, type PassingEvent, fits, isAbout, laneName, targetOf } from './matching.ts';
import { isAnyOf } from './patterns.ts';
import type { EventType, FaultPlan, PlannedFault, Rule } from './plan.ts';
import { type WireFault, wireFaults } from './wire-faults.ts';

/** A fault to inject immediately. */
export interface Strike {
  readonly fault: WireFault;
  /** Duration in milliseconds; undefined for as long as the connection lasts. */
  readonly lastsMs: number | undefined;
  readonly retryAfterSeconds: number;
  readonly code: number;
  /** Number of versions by which a stale read is behind. */
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
  /** Resource such as `jobs.batch` or `pods/status`, or the path of a non-resource request. */
  readonly target: string;
  readonly namespace: string;
  readonly name: string;
  readonly event?: EventType;
  /** Number of the request or event, from 1, among those with the same rule, client, verb and resource. */
  readonly nth: number;
  readonly lastsMs?: number;
  readonly back?: number;
  /** Choices that led to the fault. A run with equal choices has equal faults. */
  readonly choices: readonly Deviation[];
}

/** Returns the number of older versions within the limits that a stale read could return. */
export type Reach = (bounds: Pick<PlannedFault, 'revisions' | 'ageMs'>) => number;

/** Decides which faults to inject. */
export interface Strikes {
  /** Returns the fault of a request; undefined if it gets none. */
  onRequest(passing: Passing, reach: Reach): Strike | undefined;
  /** Returns the fault of a watch event; undefined if it gets none. */
  onEvent(watch: Passing, event: PassingEvent): Strike | undefined;
  /** True if a rule may match events of this watch, so that they must be parsed. */
  concernsEvents(watch: Passing): boolean;
  /** True if a rule may turn this request into a stale read, so that responses must be stored. */
  concernsStale(passing: Passing): boolean;
}

export interface StrikesOptions {
  readonly plan: FaultPlan;
  readonly seed: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Choices of a recorded run, which replace the random ones. */
  readonly replay?: readonly Deviation[];
  readonly onStrike?: (strike: StrikeRecord) => void;
}

/** Number of steps between the shortest and the longest duration. */
const LASTING_STEPS = 16;

/**
 * Creates the fault decisions.
 *
 * Equal requests of one rule, client, verb and resource share a random sequence, which depends on the seed
 * and on the sequence's label. Therefore the fifth `create jobs.batch` of a client gets the same fault in
 * each run, independently of all other requests.
 */
export const createStrikes = (options: StrikesOptions): Strikes => new PlannedStrikes(options);

class PlannedStrikes implements Strikes {
  readonly #options: StrikesOptions;
  readonly #tape: Tape;
  readonly #startMs: number;
  readonly #lanes = new Map<string, { readonly random: Random; seen: number }>();
  readonly #struck = new Map<Rule, number>();
  /** Number of requests that each rule has left without a fault because of `skip`. */
  readonly #spared = new Map<Rule, number>();
  #recorded = 0;

  constructor(options: StrikesOptions) {
    this.#options = options;
    // Each random sequence has a separate source.
    this.#tape = options.replay ? editedTape(options.replay) : randomTape(createSeededRandom(options.seed));
    this.#startMs = options.clock.monotonic();
  }

  onRequest(passing: Passing, reach: Reach): Strike | undefined {
    const { rules } = this.#options.plan;
    const isMatch = (rule: Rule): boolean =>
      !wireFaults[rule.fault.name].events &&
      isAbout(rule, passing) &&
      isAnyOf(rule.match.namespaces, passing.info.namespace) &&
      isAnyOf(rule.match.names, passing.info.name);
    for (const [i, rule] of rules.entries()) {
      if (!isMatch(rule)) continue;
      const views = rule.fault.name === 'stale-list' ? reach(rule.fault) : 0;
      const strike = this.#decide(rule, passing, undefined, views, fits(rule.fault.name, passing, views));
      if (strike === undefined) continue;
      this.#countAfter(rules.slice(i + 1).filter(isMatch), passing);
      return strike;
    }
    return undefined;
  }

  onEvent(watch: Passing, event: PassingEvent): Strike | undefined {
    const { rules } = this.#options.plan;
    const isMatch = (rule: Rule): boolean =>
      wireFaults[rule.fault.name].events &&
      isAbout(rule, watch) &&
      rule.match.events.includes(event.type) &&
      isAnyOf(rule.match.namespaces, event.namespace) &&
      isAnyOf(rule.match.names, event.name);
    for (const [i, rule] of rules.entries()) {
      if (!isMatch(rule)) continue;
      const strike = this.#decide(rule, watch, event, 0, true);
      if (strike === undefined) continue;
      this.#countAfter(rules.slice(i + 1).filter(isMatch), watch);
      return strike;
    }
    return undefined;
  }

  /**
   * Counts a request for the later rules with `nth`, although an earlier rule has injected its fault. The
   * number must mean the same request independently of the other rules of the plan.
   */
  #countAfter(rules: readonly Rule[], passing: Passing): void {
    for (const rule of rules) if (rule.match.nth !== undefined) this.#laneOf(laneName(rule, passing)).seen++;
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
    const { info } = passing;
    const name = laneName(rule, passing);
    const lane = this.#laneOf(name);
    lane.seen++;
    // Draws even if no fault is possible, so that later results do not depend on what was possible before.
    const drawn = lane.random.next() < rule.match.probability;
    const wanted = drawn && fitting && this.#isDue(rule, lane.seen, info) && !this.#isSpared(rule);
    const took = this.#tape.choose(name, 2, () => (wanted ? 1 : 0));
    if (took === 0 || !fitting) return undefined;
    this.#struck.set(rule, (this.#struck.get(rule) ?? 0) + 1);
    const strike: Strike = {
      fault: rule.fault.name,
      lastsMs: this.#lasting(rule.fault, name, lane.random),
      retryAfterSeconds: rule.fault.retryAfterSeconds,
      code: rule.fault.code,
      back: views === 0 ? 0 : this.#back(rule.fault, name, views, lane.random),
    };
    this.#record(rule, passing, event, strike, lane.seen);
    return strike;
  }

  #isDue(rule: Rule, seen: number, { query }: RequestInfo): boolean {
    const { match } = rule;
    const atMs = this.#options.clock.monotonic() - this.#startMs;
    const struck = this.#struck.get(rule) ?? 0;
    return (
      atMs >= match.afterMs &&
      atMs < match.beforeMs &&
      struck < match.times &&
      (!match.cached || query.get('resourceVersion') === '0') &&
      (match.since === undefined || this.#hasInjected(match.since)) &&
      (match.nth === undefined || match.nth === seen)
    );
  }

  /** True if `skip` leaves this request without a fault. Counts the request. */
  #isSpared(rule: Rule): boolean {
    const spared = this.#spared.get(rule) ?? 0;
    if (spared >= rule.match.skip) return false;
    this.#spared.set(rule, spared + 1);
    return true;
  }

  #hasInjected(name: string): boolean {
    return [...this.#struck.keys()].some((rule) => rule.name === name);
  }

  #lasting({ lasts }: PlannedFault, lane: string, random: Random): number | undefined {
    if (lasts === undefined) return undefined;
    const [from, to] = lasts;
    if (from === to) return from;
    return from + ((to - from) * this.#choose(`${lane}, lasting`, LASTING_STEPS + 1, random)) / LASTING_STEPS;
  }

  #back({ oldest }: PlannedFault, lane: string, views: number, random: Random): number {
    return oldest ? views : 1 + this.#choose(`${lane}, back`, views, random);
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

  #record(rule: Rule, passing: Passing, event: PassingEvent | undefined, strike: Strike, nth: number): void {
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
      nth,
      ...(lastsMs !== undefined && { lastsMs: Math.round(lastsMs) }),
      ...(back > 0 && { back }),
      choices,
    });
  }
}

/** Returns the FNV-1a hash of a string. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
