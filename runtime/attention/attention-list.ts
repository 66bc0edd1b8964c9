import type { AnyKind, ApiObject, Scheme } from '../../api/kinds/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Informer, InformerHold } from '../informer/informer.ts';
import type { RunningInformers } from '../informer/informers.ts';
import type { Journal } from '../journal/journal.ts';
import { factsOver, linkOf, sameKind } from './cached-objects.ts';
import { type Candidate, Candidates } from './candidates.ts';
import { FailingKeys } from './failing-keys.ts';
import { type KeyNames, journalItems } from './journal-items.ts';
import type { AttentionItem } from '../journal/attention-item.ts';
import type { AttentionRules, Finding, Found, ObjectRule, RuleFacts } from './rule.ts';
import { UsualDuration } from './usual-duration.ts';

/** List of what needs attention, from the caches and the journal of a process. */
export interface AttentionList extends Lifetime {
  /** Returns all items, those that have been so longest first. */
  items(): readonly AttentionItem[];
}

/** Options of `createAttentionList`. */
export interface AttentionOptions {
  readonly rules: AttentionRules;
  readonly informers: RunningInformers;
  readonly journal: Journal;
  readonly scheme: Scheme;
  readonly clock: Clock;
  /** Returns the API server's time. */
  readonly nowMs: () => number;
  /** Returns the kind of the objects that the keys of a controller name, if they name objects. */
  readonly kindOfKeys: (controller: string) => AnyKind | undefined;
  readonly metrics: Metrics;
}

/** Interval at which new informers are followed, in milliseconds. */
const FOLLOW_MS = 1_000;
/** Minimum time between two evaluations, in milliseconds, independent of the number of readers. */
const EVALUATE_MS = 1_000;
/** Maximum number of candidates that one evaluation examines. */
const MAX_EXAMINED = 20_000;
/** Time for which the list has a deleted object, in milliseconds. */
const LOST_MS = 3_600_000;
const MAX_LOST = 200;
/** The patience with what usually lasts long is at most this multiple of the rule's. */
const MAX_PATIENCE = 20;

/** Creates the list. It follows the informers that run, and starts those that rules need in addition. */
export const createAttentionList = (options: AttentionOptions): AttentionList => new Attention(options);

class Attention implements AttentionList {
  readonly name = 'attention';
  readonly #options: AttentionOptions;
  readonly #followed = new Map<Informer<ApiObject>, Candidates>();
  readonly #keys = new FailingKeys();
  readonly #usual = new Map<ObjectRule, UsualDuration>();
  #lost: (AttentionItem & { readonly untilMs: number })[] = [];
  #hold: InformerHold | undefined;
  #unsubscribe = (): void => {};
  #timer: Timer | undefined;
  #evaluated: { readonly atMs: number; readonly items: readonly AttentionItem[] } | undefined;

  constructor(options: AttentionOptions) {
    this.#options = options;
    const count = options.metrics.gauge('attention_objects', 'Objects that need attention', [
      'controller',
      'reason',
    ]);
    const counted = new Map<string, readonly [controller: string, reason: string]>();
    options.metrics.beforeExpose(() => {
      const items = this.items();
      for (const { controller, reason } of items)
        counted.set(`${controller} ${reason}`, [controller, reason]);
      for (const [controller, reason] of counted.values())
        count
          .at(controller, reason)
          .set(items.filter((each) => each.controller === controller && each.reason === reason).length);
    });
  }

  start(): Promise<void> {
    const { informers, rules, journal } = this.#options;
    const hold = informers.hold();
    this.#hold = hold;
    for (const { follows, kind } of rules.objects) if (follows && kind !== undefined) hold.of(kind as never);
    this.#unsubscribe = journal.subscribe((entry) => this.#keys.apply(entry));
    this.#followLater();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#options.clock.clearTimeout(this.#timer);
    this.#unsubscribe();
    for (const { end } of this.#followed.values()) end();
    this.#followed.clear();
    await this.#hold?.close();
  }

  items(): readonly AttentionItem[] {
    const atMs = this.#options.clock.monotonic();
    if (this.#evaluated === undefined || atMs - this.#evaluated.atMs >= EVALUATE_MS)
      this.#evaluated = { atMs, items: this.#evaluate() };
    return this.#evaluated.items;
  }

  #followLater(): void {
    this.#follow();
    this.#timer = this.#options.clock.setTimeout(() => this.#followLater(), FOLLOW_MS);
  }

  /** Follows the informers that have started since the last call, and no longer those that have stopped. */
  #follow(): void {
    const { informers, rules, nowMs, scheme } = this.#options;
    const running = new Set(informers.all());
    for (const [informer, { end }] of this.#followed) {
      if (running.has(informer)) continue;
      end();
      this.#followed.delete(informer);
    }
    for (const informer of running) {
      if (this.#followed.has(informer)) continue;
      const own = rules.objects.filter(({ kind }) => kind === undefined || sameKind(kind, informer.kind));
      const candidates = new Candidates(informer, own, {
        nowMs,
        applies: (rule, object) => rule.applies(object, scheme.vocabulary),
        left: ({ rule, seenMs }) => this.#usualOf(rule).add(nowMs() - seenMs),
        lost: (found) => this.#noteLost(own, found),
      });
      this.#followed.set(informer, candidates);
    }
  }

  #facts(): RuleFacts {
    const { scheme, nowMs } = this.#options;
    return factsOver([...this.#followed.keys()], scheme.vocabulary, nowMs());
  }

  #evaluate(): readonly AttentionItem[] {
    this.#follow();
    const facts = this.#facts();
    const { rules, kindOfKeys } = this.#options;
    const names: KeyNames = { kindOfKeys, failures: rules.failures };
    const items = new Map<string, AttentionItem>();
    const add = (item: AttentionItem): void => {
      const { object, key, reason } = item;
      items.set(JSON.stringify([reason, object ?? [item.controller, key]]), item);
    };
    for (const item of this.#found(facts)) add(item);
    for (const item of journalItems(this.#keys, names, facts)) add(item);
    this.#lost = this.#lost.filter(({ untilMs }) => untilMs > facts.nowMs);
    for (const { untilMs: _, ...item } of this.#lost) add(item);
    return [...items.values()].toSorted(
      (a, b) => a.sinceMs - b.sinceMs || (a.sentence < b.sentence ? -1 : 1),
    );
  }

  *#found(facts: RuleFacts): Iterable<AttentionItem> {
    let examined = 0;
    for (const candidates of this.#followed.values())
      for (const candidate of candidates.all()) {
        if (++examined > MAX_EXAMINED) return;
        const { rule, seenMs } = candidate;
        const finding = rule.find(candidate, facts, seenMs);
        if (finding === undefined) continue;
        const item = itemOf(candidate, finding, seenMs, facts);
        if (facts.nowMs - item.sinceMs >= this.#patienceOf(rule)) yield item;
      }
  }

  #patienceOf(rule: ObjectRule): number {
    const usual = 2 * (this.#usual.get(rule)?.longestMs ?? 0);
    return Math.max(rule.patienceMs, Math.min(usual, MAX_PATIENCE * rule.patienceMs));
  }

  #usualOf(rule: ObjectRule): UsualDuration {
    const usual = this.#usual.get(rule) ?? new UsualDuration();
    this.#usual.set(rule, usual);
    return usual;
  }

  #noteLost(rules: readonly ObjectRule[], found: Found): void {
    for (const rule of rules) {
      if (rule.lost === undefined) continue;
      const facts = this.#facts();
      const finding = rule.lost(found, facts);
      if (finding === undefined) continue;
      const { nowMs } = facts;
      const item = itemOf({ ...found, rule }, finding, nowMs, facts);
      this.#lost = [...this.#lost, { ...item, untilMs: nowMs + LOST_MS }].slice(-MAX_LOST);
    }
  }
}

function itemOf(
  { rule, ...found }: Omit<Candidate, 'seenMs'>,
  { sentence, blocker, sinceMs, controller = rule.controller }: Finding,
  seenMs: number,
  { vocabulary }: RuleFacts,
): AttentionItem {
  return {
    reason: rule.reason,
    controller,
    object: linkOf(found, vocabulary),
    sentence,
    ...(blocker === undefined ? {} : { blocker }),
    sinceMs: sinceMs ?? seenMs,
  };
}
