import { CodedError } from '../../base/errors/index.ts';
import { UnsupportedRequestError } from './unsupported-request.ts';

/**
 * Thrown if a controller depends on state that the explorer neither sees nor restores. The message names the
 * place. A search that meets it proves nothing, so its verdict is `unknown`.
 */
export class HiddenMemoryError extends CodedError<'ERR_HIDDEN_MEMORY'> {
  constructor(place: string) {
    super('ERR_HIDDEN_MEMORY', place);
  }
}

/**
 * Throws `HiddenMemoryError` if the executions that led to a verdict cannot be repeated with the same
 * results.
 */
export type Verify = (verdict: 'pass' | 'fail') => Promise<void>;

/**
 * Runs a search and verifies its executions. If the verdict depends on hidden memory, resolves with the place
 * of the memory instead of the result. Hidden memory may also cause errors of the controller or its machine.
 */
export async function withVerification<T>(
  search: () => Promise<T>,
  verdictOf: (found: T) => 'pass' | 'fail' | 'unknown',
  verify: Verify = async () => {},
): Promise<{ readonly found: T } | { readonly because: string }> {
  try {
    const found = await search().catch(async (thrown: unknown) => {
      // The verification names the place more precisely than the divergence that stopped the search.
      await verify('fail');
      throw thrown;
    });
    const verdict = verdictOf(found);
    if (verdict !== 'unknown') await verify(verdict);
    return { found };
  } catch (thrown) {
    if (thrown instanceof HiddenMemoryError || thrown instanceof UnsupportedRequestError)
      return { because: thrown.message };
    throw thrown;
  }
}

/** Minimum length of a string that may be a signature or a key. */
const LONG = 64;

/** True for two strings that may differ only at random, such as two signatures of the same data. */
const isSignature = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' &&
  typeof b === 'string' &&
  a.length >= LONG &&
  b.length >= LONG &&
  !a.replace(PEM_LINE, '').includes(' ') &&
  !b.replace(PEM_LINE, '').includes(' ');

const PEM_LINE = /-----[A-Z ]+-----/g;

/** Returns the path of the first difference between two JSON values; undefined if there is none. */
export function differenceOf(a: unknown, b: unknown, path = ''): string | undefined {
  if (a === b || isSignature(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return (a ?? null) === (b ?? null) ? undefined : path;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = differenceOf(one[name], other[name], path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
