import { isNotFound } from '../api/status/index.ts';

/**
 * Returns undefined for a 404, and rethrows any other error. For reads of objects that may not exist, and for
 * deletions that another client may have executed: `objects.get(name, { signal }).catch(unlessNotFound)`.
 */
export function unlessNotFound(thrown: unknown): undefined {
  if (!isNotFound(thrown)) throw thrown;
}
