import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Megabytes of each half of the young generation; most garbage of a virtual hour fits into it. */
const HALF_MB = 64;

/**
 * Sets V8 flags for threads that run one world after the other; call it before they start.
 *
 * A world takes tens of megabytes that all become garbage at its end:
 * - The young generation is as large as a world, so it is not scanned while the world runs.
 * - Pretenuring is off. Old objects keep everything alive that they refer to until a full collection, so most
 * of each finished world would stay.
 */
export function keepWorldsYoung(): void {
  setFlagsFromString(`--min-semi-space-size=${HALF_MB}`);
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--expose-gc');
}

/**
 * Returns a function that collects the young generation of this thread. Call it between two worlds, when
 * almost nothing is alive.
 */
export function youngCollector(): () => void {
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}
