import type { ControllerDefinition } from '../runtime/index.ts';
import { type Flag, integer } from './flags.ts';

/** Default number of keys each controller reconciles concurrently, by controller name. */
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

/** Words in flag names of release 1.24 that differ from the controller's name. */
const WORDS: Readonly<Record<string, string>> = {
  garbagecollector: 'gc',
  resourcequota: 'resource-quota',
  ttlafterfinished: 'ttl-after-finished',
};

const flagOf = (controller: string): string => `concurrent-${WORDS[controller] ?? controller}-syncs`;

/** One concurrency flag for each controller. */
export const concurrentSyncsFlags: Readonly<Record<string, Flag<number>>> = Object.fromEntries(
  Object.entries(concurrentSyncs).map(([controller, count]) => [
    flagOf(controller),
    integer(count, `number of keys that controller ${controller} reconciles concurrently`, {
      min: 1,
      max: 10_000,
    }),
  ]),
);

/** Returns the definition with the concurrency of its flag. */
export function withConcurrency(
  definition: ControllerDefinition,
  flags: Readonly<Record<string, unknown>>,
): ControllerDefinition {
  const concurrency = flags[flagOf(definition.name)];
  return typeof concurrency === 'number' ? { ...definition, concurrency } : definition;
}
