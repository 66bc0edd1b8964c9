import type { AnyStateMachine } from 'xstate';
import { lifecycleMachines } from '../../machines/lifecycles/index.ts';
import type { LifecycleTracker } from '../lifecycles/tracker.ts';

const ROWS = 200;
const ROWS_AT_MOST = 1_000;

/** Returns a number of a query between 0 and `most`; `otherwise` if it is missing or invalid. */
function numberIn(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const value = Number(query.get(name) ?? otherwise);
  return Number.isSafeInteger(value) && value >= 0 ? Math.min(value, most) : otherwise;
}

/**
 * Returns the document of a path below `/journal/v1/lifecycles`: that path itself, or `ID/objects`. Undefined if the
 * path names no document, or if the process tracks no objects.
 */
export async function lifecycleDocument(
  tracker: LifecycleTracker | undefined,
  [id, part, ...rest]: readonly string[],
  query: URLSearchParams,
): Promise<object | undefined> {
  if (tracker === undefined || rest.length > 0) return undefined;
  if (id === undefined) return tracker.read();
  if (part !== 'objects') return undefined;
  return tracker.objects(id, {
    state: query.get('state') ?? undefined,
    namespace: query.get('namespace') ?? '',
    offset: numberIn(query, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: numberIn(query, 'limit', ROWS, ROWS_AT_MOST),
  });
}

/** Returns the machines of lifecycles by name. */
export const lifecyclePictures = (): ReadonlyMap<string, AnyStateMachine> =>
  new Map(lifecycleMachines().map((machine) => [machine.id, machine]));
