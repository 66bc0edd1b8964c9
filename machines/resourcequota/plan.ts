import { type Quantity, addQuantities, compareQuantities, quantityOf } from '../../api/quantity/quantity.ts';
import { sameLists, toRecord, toResourceList } from '../../api/quota/resource-list.ts';

/** Quantities as objects have them. */
export interface Amounts {
  readonly [name: string]: string;
}

/** A quota as it stands. */
export interface ObservedQuota {
  readonly uid: string;
  readonly resourceVersion: string;
  /** What it is to limit. */
  readonly wanted: Amounts;
  /** What it limits. */
  readonly hard: Amounts;
  readonly used: Amounts;
}

/** What there is of what a quota limits. */
export interface Count {
  readonly used: Amounts;
  /** What was charged so shortly before the count that it may not be counted yet. */
  readonly recent: Amounts;
  /** When no such charge is left, milliseconds from the count; undefined when there is none. */
  readonly settlesInMs: number | undefined;
}

export interface QuotaPlan {
  readonly hard: Amounts;
  readonly used: Amounts;
  /** Nothing has to be written. */
  readonly isCurrent: boolean;
  /** Look again then: a recent charge has kept `used` above what was counted, or a new limit may have missed one. */
  readonly againInMs: number | undefined;
}

const ZERO = quantityOf(0);
/** Objects that were admitted before a limit was there are stored by then. */
const NEW_LIMIT_MS = 1_000;

/**
 * What a quota's status is to say. A charge is written before its object is: what is used is lowered to the count only
 * as far as no charge can be under way, so that the limit is never exceeded.
 */
export function planQuota(quota: ObservedQuota, count: Count): QuotaPlan {
  const wanted = toResourceList(quota.wanted);
  const [counted, recent, charged] = [count.used, count.recent, quota.used].map(toResourceList);
  const used = new Map<string, Quantity>();
  let keptBack = false;
  for (const name of wanted.keys()) {
    const found = counted?.get(name) ?? ZERO;
    const target = usedOf(found, recent?.get(name) ?? ZERO, charged?.get(name));
    keptBack ||= compareQuantities(target, found) !== 0;
    used.set(name, target);
  }
  const isLimitKnown = sameLists(wanted, toResourceList(quota.hard));
  return {
    hard: toRecord(wanted),
    used: toRecord(used),
    isCurrent: isLimitKnown && sameLists(used, charged ?? new Map()),
    againInMs: keptBack ? count.settlesInMs : isLimitKnown ? undefined : NEW_LIMIT_MS,
  };
}

function usedOf(counted: Quantity, recent: Quantity, charged: Quantity | undefined): Quantity {
  if (charged === undefined) return counted;
  const order = compareQuantities(counted, charged);
  if (order === 0) return charged;
  const safe = addQuantities(counted, recent);
  return order > 0 || compareQuantities(safe, charged) < 0 ? safe : charged;
}
