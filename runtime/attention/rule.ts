import type { AnyKind, ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectLink } from '../journal/attention-item.ts';

/** Cached object with its kind. */
export interface Found {
  readonly kind: AnyKind;
  readonly object: DeepReadonly<ApiObject>;
}

/** Condition that a rule has found on an object. */
export interface Finding {
  readonly sentence: string;
  readonly blocker?: ObjectLink | undefined;
  /** Start of the condition, in milliseconds since the epoch. Default: when its cause was first observed. */
  readonly sinceMs?: number | undefined;
  /** Controller that waits. Default: the controller of the rule. */
  readonly controller?: string;
}

/** Data that rules read: the caches of the process and the API server's time. */
export interface RuleFacts {
  readonly vocabulary: Vocabulary;
  readonly nowMs: number;
  /** Returns a cached object. Undefined if it does not exist or its kind is not cached. */
  get<T extends ApiObject>(kind: Kind<T>, key: string): DeepReadonly<T> | undefined;
  /** Returns the cached objects of a kind, or undefined if the kind is not cached. */
  list<T extends ApiObject>(kind: Kind<T>): readonly DeepReadonly<T>[] | undefined;
  /** Returns an object of any kind in a namespace for which `test` is true. */
  search(namespace: string, test: (object: DeepReadonly<ApiObject>) => boolean): Found | undefined;
  /** Returns all cached objects. */
  all(): Iterable<Found>;
  /**
   * Returns what `make` returns, which is called once in an evaluation. Rules that search many objects make an
   * index of them with it, because a scan for each candidate is quadratic.
   */
  once<T>(make: (facts: RuleFacts) => T): T;
  link(found: Found): ObjectLink;
  linkTo(kind: AnyKind, name: string, namespace?: string): ObjectLink;
}

/** Rule over objects. `applies` and `find` are pure: they depend on their arguments alone. */
export interface ObjectRule {
  readonly reason: string;
  readonly controller: string;
  /** Kind of the objects. Default: all kinds. */
  readonly kind?: AnyKind;
  /** True to start an informer of `kind` if no controller needs one. Default false. */
  readonly follows?: true;
  /**
   * Time in milliseconds for which the condition is normal. The list extends it to what is usual: objects that
   * left the condition by themselves show how long it normally lasts.
   */
  readonly patienceMs: number;
  /** True if `find` may find the condition. Called for each change, so it must be cheap. */
  applies(object: DeepReadonly<ApiObject>, vocabulary: Vocabulary): boolean;
  /**
   * True if a change of the object's generation restarts `seenMs`, because the condition then begins again.
   * Default false.
   */
  readonly restarts?: true;
  /**
   * Returns the condition of an object to which the rule applies. Called when the list is read.
   * @param seenMs when the rule began to apply
   */
  find(found: Found, facts: RuleFacts, seenMs: number): Finding | undefined;
  /** Returns the reason for the deletion of an object if its creator has to know it. */
  lost?(found: Found, facts: RuleFacts): Finding | undefined;
}

/** Key whose reconciles fail, with the last error. */
export interface FailingKey {
  readonly controller: string;
  readonly key: string;
  readonly error: string;
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Name of the object for people, such as `Job team/report`. */
  readonly name: string;
  readonly object?: ObjectLink;
}

/** Rule over failing keys. The first rule whose pattern matches the error applies. */
export interface FailureRule {
  readonly reason: string;
  readonly pattern: RegExp;
  find(failing: FailingKey, match: RegExpMatchArray, facts: RuleFacts): Pick<Finding, 'sentence' | 'blocker'>;
}

/** All rules of a list. */
export interface AttentionRules {
  readonly objects: readonly ObjectRule[];
  readonly failures: readonly FailureRule[];
}

/** Parts of `ObjectRule` whose objects have a type. */
interface TypedRule<T extends ApiObject> extends Pick<
  ObjectRule,
  'reason' | 'controller' | 'patienceMs' | 'follows' | 'restarts'
> {
  readonly kind: Kind<T>;
  applies(object: DeepReadonly<T>, vocabulary: Vocabulary): boolean;
  find(object: DeepReadonly<T>, facts: RuleFacts, seenMs: number): Finding | undefined;
  lost?(object: DeepReadonly<T>, facts: RuleFacts): Finding | undefined;
}

/** Returns a rule over the objects of one kind. */
export function objectRule<T extends ApiObject>(rule: TypedRule<T>): ObjectRule {
  // The casts are safe: the list passes objects of `kind` alone.
  const typed = (object: DeepReadonly<ApiObject>): DeepReadonly<T> => object as DeepReadonly<T>;
  const { lost } = rule;
  return {
    ...rule,
    kind: rule.kind as unknown as AnyKind,
    applies: (object, vocabulary) => rule.applies(typed(object), vocabulary),
    find: ({ object }, facts, seenMs) => rule.find(typed(object), facts, seenMs),
    ...(lost && { lost: ({ object }: Found, facts: RuleFacts) => lost(typed(object), facts) }),
  } as ObjectRule;
}
