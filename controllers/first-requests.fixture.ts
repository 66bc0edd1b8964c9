import { expect } from 'vitest';
import type { Fault } from '../test/world/faults.ts';
import type { WorldManager } from '../test/world/world.ts';

/**
 * Injects a fault into the first `times` requests of a manager with this verb whose path contains `path`.
 * Returns a function that ends the injection and expects that the fault occurred.
 */
export function injectFirst(
  { faults }: Pick<WorldManager, 'faults'>,
  { verb, path, times }: { readonly verb: string; readonly path: string; readonly times: number },
  fault: Fault | (() => Fault),
): () => void {
  let injected = 0;
  const end = faults.add((request) => {
    if (request.method !== verb || !request.path.includes(path) || injected++ >= times) return undefined;
    return typeof fault === 'function' ? fault() : fault;
  });
  return () => {
    end();
    expect(injected).toBeGreaterThan(0);
  };
}
