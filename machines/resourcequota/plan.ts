import { type Quantity, addQuantities, compareQuantities, quantityOf } from '../../api/quantity/index.ts';
import { sameLists, toRecord, toResourceList } from '../../api/quota/index.ts';

/** Quantities by resource name, in the notation of objects. */
export interface Amounts {
  readonly [name: string]: string;
}

/** Quota as observed. */
export interface ObservedQuota {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Limits of the spec. */
  readonly wanted: Amounts;
  /** Limits of the status, which the admission enforces. */
  readonly hard: Amounts;
  readonly used: Amounts;
}

/** Count of the existing objects that a quota limits. */
export interface Count {
  readonly used: Amounts;
  /** Recent charges, whose objects the count may lack. */
  readonly recent: Amounts;
  /**
   * Milliseconds from the count until the last recent charge is too old; undefined without a recent charge.
   */
  readonly settlesInMs: number | undefined;
}

export interface QuotaPlan {
  readonly hard: Amounts;
  readonly used: Amounts;
  /** True if nothing has to be written. */
  readonly isCurrent: boolean;
  /**
   * Milliseconds until the next count; undefined if none is needed. It is needed if recent charges keep
   * `used` above the count, or if objects were admitted before a new limit.
   */
  readonly againInMs: number | undefined;
}

const ZERO = quantityOf(0);
/** Time in milliseconds after which objects admitted before a limit existed are stored. */
const NEW_LIMIT_MS = 1_000;

/**
 * Plans the status of a quota. A charge is written before its object is stored. So the usage is reduced only
 * to a value above which no charge can be in flight, and the limit is never exceeded.
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
