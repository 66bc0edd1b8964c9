import type { DeepReadonly } from '../../api/kinds/index.ts';
import {
  type ResourceList,
  addLists,
  growth,
  maxLists,
  sameLists,
  usedOf,
  withoutZeros,
} from '../../api/quota/index.ts';
import type { ResourceQuota } from '../../api/types/core-v1-quota.ts';
import type { Clock } from '../../base/clock/index.ts';

type Quota = DeepReadonly<ResourceQuota>;

/** Recent charges of quotas by the admission, computed from the observed versions of each quota. */
export interface RecentCharges {
  /**
   * Records a new version of a quota. Without `previous`, the complete usage counts as a recent charge,
   * because it may have been charged just before.
   */
  note(key: string, quota: Quota, previous: Quota | undefined): void;
  /**
   * Announces a status write of this controller, whose increase is not a charge. Must be called before the
   * write.
   */
  expect(key: string, basedOn: string, used: ResourceList): void;
  /** Returns the sum of the recent charges, and the milliseconds until the last of them expires. */
  of(key: string): { readonly charged: ResourceList; readonly settlesInMs: number | undefined };
  /** Drops the charges of a deleted quota. */
  forget(key: string): void;
}

/** Time in milliseconds after which a charged object is stored or its request has failed. */
const SETTLES_MS = 1_000;

interface Charge {
  readonly untilMs: number;
  readonly amount: ResourceList;
}

const NOTHING: ResourceList = new Map();

/** Creates an empty record of charges. */
export function createRecentCharges(clock: Clock): RecentCharges {
  const charges = new Map<string, readonly Charge[]>();
  const expected = new Map<string, { readonly basedOn: string; readonly used: ResourceList }>();
  const current = (key: string): readonly Charge[] => {
    const nowMs = clock.monotonic();
    const left = (charges.get(key) ?? []).filter(({ untilMs }) => untilMs > nowMs);
    if (left.length === 0) charges.delete(key);
    else charges.set(key, left);
    return left;
  };
  return {
    note(key, quota, previous) {
      const own = expected.get(key);
      const used = usedOf(quota);
      const over = (before: ResourceList): ResourceList => growth(used, before);
      let amount = over(previous === undefined ? NOTHING : usedOf(previous));
      if (own !== undefined && own.basedOn === previous?.metadata?.resourceVersion) {
        if (sameLists(own.used, used)) return;
        // The announced write may be between the two versions. A charge after this write also exceeds the
        // written usage.
        amount = maxLists(amount, over(own.used));
      }
      amount = withoutZeros(amount);
      if (amount.size > 0)
        charges.set(key, [...current(key), { untilMs: clock.monotonic() + SETTLES_MS, amount }]);
    },
    expect: (key, basedOn, used) => void expected.set(key, { basedOn, used }),
    of(key) {
      const left = current(key);
      return {
        charged: left.map(({ amount }) => amount).reduce(addLists, NOTHING),
        settlesInMs:
          left.length === 0 ? undefined : Math.max(...left.map(({ untilMs }) => untilMs)) - clock.monotonic(),
      };
    },
    forget(key) {
      charges.delete(key);
      expected.delete(key);
    },
  };
}
