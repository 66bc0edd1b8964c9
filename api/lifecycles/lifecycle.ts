import type { ApiObject, DeepReadonly, StrategyContext } from '../kinds/kind.ts';

/** State of an object before its creation. */
export const ABSENT = 'absent';
/** State of an object after its removal from the store. */
export const DELETED = 'deleted';
/** Origin of a transition that leaves every state of an existing object. */
export const ANY = 'any';

/**
 * Actors that are no controllers of this program. `user` is any authorized client without a controller's name,
 * `any client` is every writer. Transitions of the `clock` happen without a write.
 */
export const OTHER_ACTORS = [
  'any client',
  'apiserver',
  'clock',
  'node agent',
  'scheduler',
  'user',
  'volume binder',
] as const;

/** Name of a controller, or one of `OTHER_ACTORS`. */
export type Actor = (typeof OTHER_ACTORS)[number] | (string & {});

/** A change from one state of an object to another that is allowed. */
export interface Transition<S extends string = string> {
  readonly from: typeof ANY | readonly (S | typeof ABSENT)[];
  readonly to: S | typeof DELETED;
  readonly by: readonly Actor[];
  /** Cause of the change, as a sentence without full stop: `an approver accepts it`. */
  readonly reason: string;
  /** Subresource of the requests that take the transition. Default any, the main resource included. */
  readonly through?: string;
  /** Condition type that the transition adds to the status. */
  readonly adds?: string;
}

/** Values that a projection may read in addition to the object. */
export type LifecycleContext = Pick<StrategyContext, 'nowMs' | 'vocabulary'>;

/**
 * States of the objects of a kind, and the transitions between them.
 *
 * The API server, chaos, the dashboard and the documents read the same declaration. It is plain data, because
 * the API server runs no machines; `machines/lifecycles` makes the state machine from it.
 *
 *     const { stateOf } = requestLifecycle;
 *     stateOf(request, { nowMs, vocabulary }); // 'Approved'
 *     transitionOf(requestLifecycle, 'Approved', 'Issued', 'csrsigning')?.reason;
 *     // 'its signer issues the certificate'
 *     transitionOf(requestLifecycle, 'Denied', 'Issued', 'csrsigning'); // undefined
 */
export interface Lifecycle<T extends ApiObject = never, S extends string = string> {
  /** Name in charts and reports: `certificate-request`. */
  readonly id: string;
  /** Noun for an object: `certificate request`. */
  readonly noun: string;
  /** Kind of the objects; undefined if the lifecycle is that of objects of every kind. */
  readonly kind: { readonly group: string; readonly plural: string; readonly kind: string } | undefined;
  /** Meaning of each state, as a sentence without full stop. */
  readonly states: { readonly [state in S]: string };
  readonly transitions: readonly Transition<S>[];
  /** True for the objects of the kind that have these states. Default all. */
  concerns?(object: DeepReadonly<T>, context: LifecycleContext): boolean;
  /** Returns the state of an object. Pure; returns a state for every object that the kind's schema accepts. */
  stateOf(object: DeepReadonly<T>, context: LifecycleContext): S;
}

/** Returns the states that a transition leaves. */
export const originsOf = ({ states }: Pick<Lifecycle, 'states'>, { from }: Transition): readonly string[] =>
  from === ANY ? Object.keys(states) : from;

/** Parts of a cluster that write as users, as they have no controller here. */
const EXTERNAL: readonly string[] = ['node agent', 'scheduler', 'volume binder'];

/** True if a request of the actor may take the transition. */
const mayTake = ({ by }: Transition, actor: string): boolean =>
  by.includes(actor) ||
  by.includes('any client') ||
  (actor === 'user' && by.some((each) => EXTERNAL.includes(each)));

/** Returns the transition between two states that a request of the actor may take; undefined if it is forbidden. */
export const transitionOf = (
  lifecycle: Pick<Lifecycle, 'states' | 'transitions'>,
  from: string,
  to: string,
  actor: Actor,
): Transition | undefined =>
  lifecycle.transitions.find(
    (each) => each.to === to && mayTake(each, actor) && originsOf(lifecycle, each).includes(from),
  );

/**
 * Returns the state of an object, `absent` without an object, and undefined if the lifecycle is not about it.
 * The caller ensures that the object is of the lifecycle's kind.
 */
export function projected(
  lifecycle: Lifecycle,
  object: DeepReadonly<ApiObject> | undefined,
  context: LifecycleContext,
): string | undefined {
  if (object === undefined) return ABSENT;
  const own = object as DeepReadonly<never>;
  return lifecycle.concerns?.(own, context) === false ? undefined : lifecycle.stateOf(own, context);
}
