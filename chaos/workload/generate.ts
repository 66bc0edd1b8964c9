import type { Action } from '../world/user.ts';
import { bootstrapTokens, serviceAccounts } from './accounts.ts';
import { certificateRequests } from './certificates.ts';
import { aggregatedRoles } from './cluster-roles.ts';
import { cronJobs, finishedJobs, jobsOfManyPods } from './cron-jobs.ts';
import { endingNamespace, ownedObjects, quotas, volumes } from './objects.ts';
import { oneOfEach } from './one-of-each.ts';
import { type Making, type Part, SECOND, TEAM, create, oneOf, some } from './parts.ts';

/** What each controller has to do; a controller that is not named here has what all make together. */
const partsOf: Readonly<Record<string, readonly Part[]>> = {
  bootstrapsigner: [bootstrapTokens],
  'clusterrole-aggregation': [aggregatedRoles],
  cronjob: [cronJobs],
  csrapproving: [certificateRequests],
  csrcleaner: [certificateRequests],
  csrsigning: [certificateRequests],
  garbagecollector: [ownedObjects, cronJobs],
  job: [finishedJobs, jobsOfManyPods, cronJobs],
  namespace: [endingNamespace],
  'pv-protection': [volumes],
  'pvc-protection': [volumes],
  resourcequota: [quotas],
  'root-ca-cert-publisher': [serviceAccounts],
  serviceaccount: [serviceAccounts],
  'serviceaccount-token': [serviceAccounts],
  tokencleaner: [bootstrapTokens],
  ttlafterfinished: [finishedJobs],
};

/** How many kinds of things users do in one run. */
const FEW = [2, 4, Infinity];

/**
 * Something to do for the controllers named, in the order of time. Of all that is to be done for them a run has a part:
 * what is little for itself is done in many more ways than what is always one thing among many. What there is to do for
 * `focus`, one of them, is always there. `most`: how many kinds of things users do; default drawn, two, four or all.
 */
export function generateWorkload(
  controllers: readonly string[],
  making: Making,
  focus?: string,
  most = oneOf(making.random, FEW),
): readonly Action[] {
  const parts = [...new Set(controllers.flatMap((name) => partsOf[name] ?? []))];
  const own = focus === undefined ? [] : (partsOf[focus] ?? []);
  const others = parts.filter((part) => !own.includes(part));
  const few = most - own.length;
  return whole(
    controllers,
    [...own, ...some(making.random, others, Math.max(0, few))].flatMap((part) => part(making)),
  );
}

/** With the namespace that it all lies in, in the order of time. */
function whole(controllers: readonly string[], actions: readonly Action[]): readonly Action[] {
  const firstMs = Math.min(
    0,
    ...actions.filter(({ namespace }) => namespace === TEAM).map(({ atMs }) => atMs - SECOND),
  );
  const namespace = create(firstMs, '/namespaces', '', TEAM);
  // Pods need an account, whoever makes it; by then its namespace is there. Nobody takes away what nobody would make again.
  const account = create(firstMs + SECOND, '/serviceaccounts', TEAM, 'default');
  const isItsEnd = ({ verb, resource, name }: Action): boolean =>
    verb === 'delete' && resource === account.resource && name === account.name;
  const all = controllers.includes('serviceaccount')
    ? [namespace, ...actions]
    : [namespace, account, ...actions.filter((action) => !isItsEnd(action))];
  return all
    .map((action) => ({ ...action, atMs: Math.round(action.atMs) }))
    .toSorted((a, b) => a.atMs - b.atMs);
}

/** So many workloads are drawn for one. */
const DRAWN = 64;

/**
 * The one in which users do the most different things, of many that are drawn with all that there is to do, and what is
 * left to chance in none: for a run of which there is only one.
 */
export function generateRichWorkload(controllers: readonly string[], making: Making): readonly Action[] {
  const partsIn = (of: Readonly<Record<string, readonly Part[]>>): readonly Part[] => [
    ...new Set(controllers.flatMap((name) => of[name] ?? [])),
  ];
  const actionsOf = (parts: readonly Part[]): readonly Action[] => parts.flatMap((part) => part(making));
  const doings = (actions: readonly Action[]): number =>
    new Set(actions.map(({ verb, resource, namespace, name }) => [verb, resource, namespace, name].join(' ')))
      .size;
  const drawn = Array.from({ length: DRAWN }, () => actionsOf(partsIn(partsOf)));
  const rich = drawn.reduce((most, each) => (doings(each) > doings(most) ? each : most));
  return whole(controllers, [...rich, ...actionsOf(partsIn(oneOfEach))]);
}
