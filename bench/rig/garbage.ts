import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Twice, for what the first run makes free to be freed. */
export function collectGarbage(): void {
  collect();
  collect();
}
