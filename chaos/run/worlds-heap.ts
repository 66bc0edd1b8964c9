import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Size of each half of the young generation in megabytes. Most garbage of a virtual hour fits into it. */
const HALF_MB = 64;

/**
 * Sets V8 flags for threads that run one world after the other. Must be called before the threads start.
 *
 * A world takes tens of megabytes that all become garbage at its end:
 * - The young generation is as large as a world, so the collector does not scan the world while it runs.
 * - Pretenuring is off. An object in the old generation keeps all objects alive to which it refers, until a
 * full collection. Most of each finished world would therefore stay.
 */
export function keepWorldsYoung(): void {
  setFlagsFromString(`--min-semi-space-size=${HALF_MB}`);
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--expose-gc');
}

/**
 * Returns a function that collects the young generation of this thread. Should be called between two worlds,
 * when almost no object is alive.
 */
export function youngCollector(): () => void {
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}
