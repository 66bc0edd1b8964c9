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

/** What was charged to quotas lately, as their versions tell. */
export interface RecentCharges {
  /** To be told of every version of a quota. All of the first one that is seen may have been charged just before. */
  note(key: string, quota: Quota, previous: Quota | undefined): void;
  /** To be told before this controller writes itself: what it raises is no charge. */
  expect(key: string, basedOn: string, used: ResourceList): void;
  of(key: string): { readonly charged: ResourceList; readonly settlesInMs: number | undefined };
  forget(key: string): void;
}

/** A charged object is stored by then, or its request has failed. */
const SETTLES_MS = 1_000;

interface Charge {
  readonly untilMs: number;
  readonly amount: ResourceList;
}

const NOTHING: ResourceList = new Map();

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
        // Its own write may have come in between: a charge since then is one over what that said.
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
