import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage twice: the second run frees what the first one released. */
export function collectGarbage(): void {
  collect();
  collect();
}
