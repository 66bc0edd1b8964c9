import { spend } from '../../base/budget/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { LimitRangeItem } from '../../api/types/core-v1.ts';
import {
  type Quantity,
  canonicalQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from '../../api/quantity/index.ts';

/** Quantities by resource name. */
export type Resources = Readonly<Record<string, Quantity>>;

/** Resource requests and limits of a container, a whole pod or a claim. */
export interface Usage {
  readonly requests: Resources;
  readonly limits: Resources;
}

/**
 * Parses a resource list. The result has own properties only, so that no name finds a property of
 * `Object.prototype`.
 */
export const quantitiesOf = (list: Readonly<Record<string, string>> | undefined): Resources =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

const held = (resources: Resources, name: string): Quantity | undefined =>
  Object.hasOwn(resources, name) ? resources[name] : undefined;

const shown = canonicalQuantity;

/** Maximum value whose thousandths fit into 64 bits. */
const MAX_IN_THOUSANDTHS = (2n ** 63n - 1n) / 1000n;

/**
 * Converts quantities to integers for comparison, as upstream does: to thousandths if all values fit,
 * otherwise to whole numbers.
 */
function comparable(...quantities: readonly (Quantity | undefined)[]): readonly bigint[] {
  const values = quantities.map((each) => (each === undefined ? 0n : quantityValue(each)));
  if (values.some((each) => each > MAX_IN_THOUSANDTHS)) return values;
  return quantities.map((each) => (each === undefined ? 0n : quantityMilliValue(each)));
}

function isLess(
  less: Quantity | undefined,
  more: Quantity | undefined,
  third: Quantity | undefined,
): boolean {
  const [a = 0n, b = 0n] = comparable(less, more, third);
  return a < b;
}

/**
 * Function that describes how resources violate one bound. It returns undefined if they do not violate the
 * bound.
 */
type Check = (type: string, name: string, bound: Quantity, usage: Usage) => string | undefined;

const minimum: Check = (type, name, bound, { requests, limits }) => {
  const request = held(requests, name);
  const limit = held(limits, name);
  const rule = `minimum ${name} usage per ${type} is ${shown(bound)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (isLess(request, bound, limit)) return `${rule}, but request is ${shown(request)}`;
  if (limit !== undefined && isLess(limit, bound, request)) return `${rule}, but limit is ${shown(limit)}`;
  return undefined;
};

const maximum: Check = (type, name, bound, { requests, limits }) => {
  const request = held(requests, name);
  const limit = held(limits, name);
  const rule = `maximum ${name} usage per ${type} is ${shown(bound)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (isLess(bound, limit, request)) return `${rule}, but limit is ${shown(limit)}`;
  if (request !== undefined && isLess(bound, request, limit))
    return `${rule}, but request is ${shown(request)}`;
  return undefined;
};

/** Check of the maximum for objects without limits. */
const maximumRequest: Check = (type, name, bound, { requests }) => {
  const request = held(requests, name);
  const rule = `maximum ${name} usage per ${type} is ${shown(bound)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return isLess(bound, request, undefined) ? `${rule}, but request is ${shown(request)}` : undefined;
};

const ratio: Check = (type, name, bound, { requests, limits }) => {
  const rule = `${name} max limit to request ratio per ${type} is ${shown(bound)}`;
  const [request = 0n, limit = 0n] = comparable(held(requests, name), held(limits, name), bound);
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const observed = Number(limit) / Number(request);
  const isInThousandths = quantityValue(bound) <= MAX_IN_THOUSANDTHS;
  const most = Number(isInThousandths ? quantityMilliValue(bound) : quantityValue(bound));
  if (observed * (isInThousandths ? 1000 : 1) <= most) return undefined;
  return `${rule}, but provided ratio is ${observed.toFixed(6)}`;
};

type Bounds = keyof LimitRangeItem & ('min' | 'max' | 'maxLimitRequestRatio');

const problems = (
  item: DeepReadonly<LimitRangeItem>,
  usage: Usage,
  checks: readonly (readonly [Bounds, Check])[],
): readonly string[] =>
  checks.flatMap(([bounds, check]) =>
    Object.entries(quantitiesOf(item[bounds])).flatMap(([name, bound]) => {
      spend(BOUND_WORK);
      return check(item.type, name, bound, usage) ?? [];
    }),
  );

/** Work units for checking one bound, in addition to parsing its quantity. */
const BOUND_WORK = 3;

/** Returns upstream's message for every bound of the item that a container or pod violates. */
export const limitProblems = (item: DeepReadonly<LimitRangeItem>, usage: Usage): readonly string[] =>
  problems(item, usage, [
    ['min', minimum],
    ['max', maximum],
    ['maxLimitRequestRatio', ratio],
  ]);

/**
 * Returns upstream's message for every bound of the item that a claim violates. A claim has requests only.
 */
export const claimProblems = (item: DeepReadonly<LimitRangeItem>, requests: Resources): readonly string[] =>
  problems(item, { requests, limits: {} }, [
    ['min', minimum],
    ['max', maximumRequest],
  ]);
