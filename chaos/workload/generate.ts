import { serviceAccountManifest } from '../../controllers/serviceaccount/index.ts';
import { twinOf } from '../controllers/index.ts';
import type { Action } from '../world/user.ts';
import { type Draw, createDraw } from './draw.ts';
import { type Part, SECOND, TEAM, type WorkloadSettings, create, oneOf, some } from './parts.ts';

/** Possible maximum numbers of parts in one run. */
const FEW = [2, 4, Infinity];

/** A workload, and the features by which it was drawn. */
export interface DrawnWorkload {
  readonly actions: readonly Action[];
  readonly features: ReadonlySet<string>;
}

/**
 * Generates a workload for controllers, ordered by time.
 *
 * A run contains only some of the parts. The few kinds of actions then occur in many more combinations than
 * if every run had all parts.
 * @param focus controller whose parts are always included
 * @param most maximum number of parts; by default drawn from 2, 4 and all
 */
export function generateWorkload(
  controllers: readonly string[],
  settings: WorkloadSettings,
  focus?: string,
  most = oneOf(settings.random, FEW),
): DrawnWorkload {
  const { random } = settings;
  const draw = createDraw(random);
  const making = { ...settings, draw };
  const parts = [...new Set(controllers.flatMap((name) => twinOf(name)?.workload ?? []))];
  const own = focus === undefined ? [] : (twinOf(focus)?.workload ?? []);
  const others = parts.filter((part) => !own.includes(part));
  const few = most - own.length;
  const chosen = [...own, ...some(random, others, Math.max(0, few))];
  const actions = whole(
    controllers,
    chosen.flatMap((part) => part(making)),
  );
  return { actions, features: draw.features };
}

/** Adds the namespace of the actions and sorts them by time. */
function whole(controllers: readonly string[], actions: readonly Action[]): readonly Action[] {
  const firstMs = Math.min(
    0,
    ...actions.filter(({ namespace }) => namespace === TEAM).map(({ atMs }) => atMs - SECOND),
  );
  const namespace = create(firstMs, '/namespaces', '', TEAM);
  // Pods need a ServiceAccount. If no controller creates it, the workload creates it and never deletes it.
  const account = create(firstMs + SECOND, '/serviceaccounts', TEAM, 'default');
  const isItsEnd = ({ verb, resource, name }: Action): boolean =>
    verb === 'delete' && resource === account.resource && name === account.name;
  // Without the garbage collector, nothing completes a deletion under another policy than the default.
  const collects = controllers.some((name) => twinOf(name)?.completesDeletions === true);
  const all = controllers.includes(serviceAccountManifest.name)
    ? [namespace, ...actions]
    : [namespace, account, ...actions.filter((action) => !isItsEnd(action))];
  return all
    .map(({ propagation, ...action }) => ({
      ...action,
      atMs: Math.round(action.atMs),
      ...(propagation && collects && { propagation }),
    }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** Number of drawn workloads from which the one with the most features is chosen. */
const DRAWN = 64;

/**
 * Generates a workload for live runs. Draws many workloads, chooses the one with the most features, and adds
 * parts that random workloads contain rarely, because a live run happens only once.
 */
export function generateRichWorkload(
  controllers: readonly string[],
  settings: WorkloadSettings,
): readonly Action[] {
  const actionsOf = (of: 'workload' | 'rareWorkload', draw: Draw): readonly Action[] => {
    const parts: ReadonlySet<Part> = new Set(controllers.flatMap((name) => twinOf(name)?.[of] ?? []));
    return [...parts].flatMap((part) => part({ ...settings, draw }));
  };
  const drawn = Array.from({ length: DRAWN }, (): DrawnWorkload => {
    const draw = createDraw(settings.random);
    return { actions: actionsOf('workload', draw), features: draw.features };
  });
  const rich = drawn.reduce((most, each) => (each.features.size > most.features.size ? each : most));
  return whole(controllers, [...rich.actions, ...actionsOf('rareWorkload', createDraw(settings.random))]);
}
