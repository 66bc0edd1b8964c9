import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage twice. The second collection frees the memory that finalizers of the first released. */
export function collectGarbage(): void {
  collect();
  collect();
}
