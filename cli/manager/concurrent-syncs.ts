import type { ControllerManifest } from '../../controllers/manifest.ts';
import { manifests } from '../../controllers/manifests.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { type Flag, integer } from '../flags/flags.ts';

const flagOf = ({ name, flagWord = name }: ControllerManifest): string => `concurrent-${flagWord}-syncs`;

/** Name of the concurrency flag of each controller. */
const flags: ReadonlyMap<string, string> = new Map(
  manifests.map((manifest) => [manifest.name, flagOf(manifest)]),
);

/** One concurrency flag for each controller. */
export const concurrentSyncsFlags: Readonly<Record<string, Flag<number>>> = Object.fromEntries(
  manifests.map((manifest: ControllerManifest) => [
    flagOf(manifest),
    integer(manifest.concurrency, `number of keys that controller ${manifest.name} reconciles concurrently`, {
      min: 1,
      max: 10_000,
    }),
  ]),
);

/** Returns the definition with the concurrency of its flag. */
export function withConcurrency(
  definition: ControllerDefinition,
  given: Readonly<Record<string, unknown>>,
): ControllerDefinition {
  const concurrency = given[flags.get(definition.name) ?? ''];
  return typeof concurrency === 'number' ? { ...definition, concurrency } : definition;
}
