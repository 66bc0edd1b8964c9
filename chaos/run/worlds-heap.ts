import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Megabytes of each half of the young heap: what one virtual hour of all controllers leaves behind mostly fits into it. */
const HALF_MB = 64;

/**
 * Lets threads that are started from now on keep their heap as suits one world after the other. What a world is made of lives
 * as long as the world, tens of megabytes, and no longer:
 *
 * - It is not looked through while it lives: the young heap is as large as a world becomes.
 * - V8 does not learn to make it old at once. The old keeps alive all that it points to until the whole heap is looked
 *   through, so that of each world that is over the most would grow old with it.
 */
export function keepWorldsYoung(): void {
  setFlagsFromString(`--min-semi-space-size=${HALF_MB}`);
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--expose-gc');
}

/** Collects what is young in this thread: between two worlds, when next to nothing of it lives. */
export function youngCollector(): () => void {
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}
