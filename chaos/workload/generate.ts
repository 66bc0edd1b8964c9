import { serviceAccountManifest } from '../../controllers/serviceaccount/index.ts';
import { twinOf } from '../controllers/index.ts';
import type { Action } from '../world/user.ts';
import { type Making, type Part, SECOND, TEAM, create, oneOf, some } from './parts.ts';

/** Possible numbers of parts in one run. */
const FEW = [2, 4, Infinity];

/**
 * Generates a workload for controllers, ordered by time.
 *
 * A run contains only some of the parts. Few kinds of actions then occur in many more combinations than if
 * every run had all of them. The parts of `focus` are always included. `most` is the maximum number of parts;
 * by default it is drawn from 2, 4 and all.
 */
export function generateWorkload(
  controllers: readonly string[],
  making: Making,
  focus?: string,
  most = oneOf(making.random, FEW),
): readonly Action[] {
  const parts = [...new Set(controllers.flatMap((name) => twinOf(name)?.workload ?? []))];
  const own = focus === undefined ? [] : (twinOf(focus)?.workload ?? []);
  const others = parts.filter((part) => !own.includes(part));
  const few = most - own.length;
  return whole(
    controllers,
    [...own, ...some(making.random, others, Math.max(0, few))].flatMap((part) => part(making)),
  );
}

/** Adds the namespace of the actions and sorts them by time. */
function whole(controllers: readonly string[], actions: readonly Action[]): readonly Action[] {
  const firstMs = Math.min(
    0,
    ...actions.filter(({ namespace }) => namespace === TEAM).map(({ atMs }) => atMs - SECOND),
  );
  const namespace = create(firstMs, '/namespaces', '', TEAM);
  // Pods need a service account. Without its controller, the workload creates the account and never deletes
  // it.
  const account = create(firstMs + SECOND, '/serviceaccounts', TEAM, 'default');
  const isItsEnd = ({ verb, resource, name }: Action): boolean =>
    verb === 'delete' && resource === account.resource && name === account.name;
  const all = controllers.includes(serviceAccountManifest.name)
    ? [namespace, ...actions]
    : [namespace, account, ...actions.filter((action) => !isItsEnd(action))];
  return all
    .map((action) => ({ ...action, atMs: Math.round(action.atMs) }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Number of workloads from which the richest is chosen. */
const DRAWN = 64;

/**
 * Generates the workload with the most distinct actions of many, and adds the parts that must not depend on
 * luck. For live runs, of which there is only one.
 */
export function generateRichWorkload(controllers: readonly string[], making: Making): readonly Action[] {
  const partsOf = (of: 'workload' | 'rareWorkload'): readonly Part[] => [
    ...new Set(controllers.flatMap((name) => twinOf(name)?.[of] ?? [])),
  ];
  const actionsOf = (parts: readonly Part[]): readonly Action[] => parts.flatMap((part) => part(making));
  const distinctActions = (actions: readonly Action[]): number =>
    new Set(actions.map(({ verb, resource, namespace, name }) => [verb, resource, namespace, name].join(' ')))
      .size;
  const drawn = Array.from({ length: DRAWN }, () => actionsOf(partsOf('workload')));
  const rich = drawn.reduce((most, each) => (distinctActions(each) > distinctActions(most) ? each : most));
  return whole(controllers, [...rich, ...actionsOf(partsOf('rareWorkload'))]);
}
