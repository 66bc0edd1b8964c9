import type { ControllerDefinition } from '../runtime/index.ts';
import { type Flag, integer } from './flags.ts';

/** Keys that each controller has in work at one time by default, in the order of their names. */
export const concurrentSyncs: Readonly<Record<string, number>> = {
  bootstrapsigner: 1,
  'clusterrole-aggregation': 5,
  cronjob: 300,
  csrapproving: 5,
  csrcleaner: 5,
  csrsigning: 50,
  garbagecollector: 100,
  job: 20,
  'legacy-service-account-token-cleaner': 5,
  namespace: 10,
  'pv-protection': 5,
  'pvc-protection': 5,
  resourcequota: 5,
  'root-ca-cert-publisher': 5,
  serviceaccount: 5,
  'serviceaccount-token': 5,
  tokencleaner: 5,
  ttlafterfinished: 5,
};

/** Where release 1.24 has the flag by another word than the controller's name. */
const WORDS: Readonly<Record<string, string>> = {
  garbagecollector: 'gc',
  resourcequota: 'resource-quota',
  ttlafterfinished: 'ttl-after-finished',
};

const flagOf = (controller: string): string => `concurrent-${WORDS[controller] ?? controller}-syncs`;

/** A flag for each controller. */
export const concurrentSyncsFlags: Readonly<Record<string, Flag<number>>> = Object.fromEntries(
  Object.entries(concurrentSyncs).map(([controller, count]) => [
    flagOf(controller),
    integer(count, `keys that controller ${controller} has in work at one time`, { min: 1, max: 10_000 }),
  ]),
);

/** The definition with what its flag says. */
export function withConcurrency(
  definition: ControllerDefinition,
  flags: Readonly<Record<string, unknown>>,
): ControllerDefinition {
  const concurrency = flags[flagOf(definition.name)];
  return typeof concurrency === 'number' ? { ...definition, concurrency } : definition;
}
