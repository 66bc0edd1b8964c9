import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { LimitRangeItem } from '../../api/types/core-v1.ts';
import {
  canonicalQuantity,
  compareQuantities,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
} from '../../api/quantity/quantity.ts';

export type Resources = Readonly<Record<string, Quantity>>;

/** What one container, or a pod as a whole, asks for. */
export interface Usage {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** Quantities of a resource list by name; no name can reach a prototype. */
export const quantitiesOf = (list: Readonly<Record<string, string>> | undefined): Resources =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

const held = (resources: Resources, name: string): Quantity | undefined =>
  Object.hasOwn(resources, name) ? resources[name] : undefined;

const shown = canonicalQuantity;

const isLess = (a: Quantity, b: Quantity): boolean => compareQuantities(a, b) < 0;

function minimum(
  type: string,
  name: string,
  bound: Quantity,
  { requests, limits }: Usage,
): string | undefined {
  const request = held(requests, name);
  const limit = held(limits, name);
  const rule = `minimum ${name} usage per ${type} is ${shown(bound)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (isLess(request, bound)) return `${rule}, but request is ${shown(request)}`;
  if (limit !== undefined && isLess(limit, bound)) return `${rule}, but limit is ${shown(limit)}`;
  return undefined;
}

function maximum(
  type: string,
  name: string,
  bound: Quantity,
  { requests, limits }: Usage,
): string | undefined {
  const request = held(requests, name);
  const limit = held(limits, name);
  const rule = `maximum ${name} usage per ${type} is ${shown(bound)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (isLess(bound, limit)) return `${rule}, but limit is ${shown(limit)}`;
  if (request !== undefined && isLess(bound, request)) return `${rule}, but request is ${shown(request)}`;
  return undefined;
}

function ratio(type: string, name: string, bound: Quantity, { requests, limits }: Usage): string | undefined {
  const request = held(requests, name);
  const limit = held(limits, name);
  const rule = `${name} max limit to request ratio per ${type} is ${shown(bound)}`;
  if (request === undefined || isZeroQuantity(request))
    return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || isZeroQuantity(limit)) return `${rule}, but no limit is specified or limit is 0`;
  const [request1000, limit1000] = [quantityMilliValue(request), quantityMilliValue(limit)];
  if (limit1000 * 1000n <= quantityMilliValue(bound) * request1000) return undefined;
  return `${rule}, but provided ratio is ${(Number(limit1000) / Number(request1000)).toFixed(6)}`;
}

/** Every bound of an item that a usage breaks, in upstream's words. */
export function limitProblems(item: DeepReadonly<LimitRangeItem>, usage: Usage): readonly string[] {
  const checks = [
    [item.min, minimum],
    [item.max, maximum],
    [item.maxLimitRequestRatio, ratio],
  ] as const;
  return checks.flatMap(([bounds, check]) =>
    Object.entries(quantitiesOf(bounds)).flatMap(
      ([name, bound]) => check(item.type, name, bound, usage) ?? [],
    ),
  );
}
