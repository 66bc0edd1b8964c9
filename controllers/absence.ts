import { isNotFound } from '../api/status/index.ts';

/**
 * Returns undefined for a 404, and throws anything else. For reads of objects that may not exist, and for deletions that
 * another client may have carried out: `objects.get(name, { signal }).catch(unlessNotFound)`.
 */
export function unlessNotFound(thrown: unknown): undefined {
  if (!isNotFound(thrown)) throw thrown;
}
