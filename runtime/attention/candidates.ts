import { type AnyKind, type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import { fromTime } from '../../base/clock/index.ts';
import type { Informer } from '../informer/informer.ts';
import type { Found, ObjectRule } from './rule.ts';

/** Object to which a rule applies. */
export interface Candidate extends Found {
  readonly rule: ObjectRule;
  /** When the rule began to apply: the creation of the object, or the first change seen with it. */
  readonly seenMs: number;
}

/** Receiver of the changes of candidates. */
export interface CandidateEvents {
  readonly nowMs: () => number;
  readonly applies: (rule: ObjectRule, object: DeepReadonly<ApiObject>) => boolean;
  /** Called with a candidate to which the rule no longer applies. */
  readonly left: (candidate: Candidate) => void;
  /** Called with each deleted object. */
  readonly lost: (found: Found) => void;
}

/** Candidates of one informer, by key. Each change of the cache costs one call of `applies` for each rule. */
export class Candidates {
  readonly #byKey = new Map<string, readonly Candidate[]>();
  readonly #rules: readonly ObjectRule[];
  readonly #kind: AnyKind;
  readonly #events: CandidateEvents;
  readonly end: () => void;

  constructor(informer: Informer<ApiObject>, rules: readonly ObjectRule[], events: CandidateEvents) {
    this.#rules = rules;
    this.#kind = informer.kind as unknown as AnyKind;
    this.#events = events;
    this.end =
      rules.length === 0
        ? () => {}
        : informer.subscribe({
            onApply: (object, previous) => this.#applied(object, previous),
            onDelete: (object) => this.#deleted(object),
          });
  }

  /** Returns the candidates, those of the same object together. */
  *all(): Iterable<Candidate> {
    for (const candidates of this.#byKey.values()) yield* candidates;
  }

  #applied(object: DeepReadonly<ApiObject>, previous: DeepReadonly<ApiObject> | undefined): void {
    const key = keyOf(object);
    const same = previous?.metadata?.uid === object.metadata?.uid ? this.#byKey.get(key) : undefined;
    const known = same ?? [];
    const next: Candidate[] = [];
    for (const rule of this.#rules) {
      const before = known.find((each) => each.rule === rule);
      if (this.#events.applies(rule, object)) {
        const restarts = rule.restarts && previous?.metadata?.generation !== object.metadata?.generation;
        const seenMs = (restarts ? undefined : before?.seenMs) ?? this.#firstSeen(object, previous);
        next.push({ rule, kind: this.#kind, object, seenMs });
      } else if (before !== undefined) this.#events.left(before);
    }
    if (next.length > 0) this.#byKey.set(key, next);
    else this.#byKey.delete(key);
  }

  #firstSeen(object: DeepReadonly<ApiObject>, previous: DeepReadonly<ApiObject> | undefined): number {
    const createdMs = fromTime(object.metadata?.creationTimestamp);
    return previous === undefined ? (createdMs ?? this.#events.nowMs()) : this.#events.nowMs();
  }

  #deleted(object: DeepReadonly<ApiObject>): void {
    const key = keyOf(object);
    for (const candidate of this.#byKey.get(key) ?? []) this.#events.left(candidate);
    this.#byKey.delete(key);
    this.#events.lost({ kind: this.#kind, object });
  }
}
