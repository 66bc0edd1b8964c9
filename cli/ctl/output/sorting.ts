import { evaluateTemplate } from '../../../api/json-path/index.ts';
import { compareQuantities, parseQuantity } from '../../../api/quantity/index.ts';
import { UsageError } from '../../flags/flags.ts';
import { relaxedPath } from './custom-columns.ts';

/**
 * Returns a function that sorts objects by the value at a path, as `--sort-by` does: numbers and times by value,
 * quantities by amount, other strings by characters. Objects without the value are first. Throws `UsageError` for
 * an invalid path, and for a path that no object has if `isStrict`.
 */
export function sorterBy(
  path: string,
  isStrict: boolean,
): <T>(objects: readonly T[], objectOf: (item: T) => unknown) => readonly T[] {
  const parsed = relaxedPath(path);
  return (items, objectOf) => {
    const keyed = items.map((item) => ({ item, key: evaluateTemplate(parsed, objectOf(item)).flat()[0] }));
    if (isStrict && items.length > 0 && keyed.every(({ key }) => key === undefined))
      throw new UsageError(
        `couldn't find any field with path ${JSON.stringify(path)} in the list of objects`,
      );
    return keyed.toSorted((left, right) => compare(left.key, right.key)).map(({ item }) => item);
  };
}

function compare(left: unknown, right: unknown): number {
  if (left === undefined || left === null || right === undefined || right === null)
    return Number(left !== undefined && left !== null) - Number(right !== undefined && right !== null);
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  const [one, other] = [String(left), String(right)];
  const quantities = [quantity(one), quantity(other)] as const;
  if (quantities[0] !== undefined && quantities[1] !== undefined)
    return compareQuantities(quantities[0], quantities[1]);
  return naturally(one, other);
}

/** Compares digits by their number and other characters by their code, as in `pod-9` before `pod-10`. */
function naturally(left: string, right: string): number {
  const [one, other] = [left, right].map((text) => text.match(/\d+|\D/g) ?? []);
  for (const [at, part] of (one ?? []).entries()) {
    const against = other?.[at];
    if (against === undefined) return 1;
    const areNumbers = /^\d/.test(part) && /^\d/.test(against);
    const difference = areNumbers
      ? Number(BigInt(part) - BigInt(against))
      : part < against
        ? -1
        : Number(part > against);
    if (difference !== 0) return difference;
  }
  return (one?.length ?? 0) - (other?.length ?? 0);
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

function quantity(text: string): ReturnType<typeof parseQuantity> | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}
