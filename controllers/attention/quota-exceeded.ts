import { resourceQuotas } from '../../api/groups/core-v1-storage.ts';
import type { FailureRule } from '../../runtime/index.ts';

/** Key that fails because a ResourceQuota is used up. */
export const quotaExceeded: FailureRule = {
  reason: 'quota-exceeded',
  pattern: /exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: (.*)$/,
  find({ name, object }, [, quota = '', requested = '', used = '', limited = ''], facts) {
    const namespace = object?.namespace;
    const blocker = facts.linkTo(resourceQuotas, quota, namespace);
    const path = namespace === undefined ? quota : `${namespace}/${quota}`;
    return {
      blocker,
      sentence: `${name} cannot create what it needs: ResourceQuota ${path} allows ${limited}, of which ${used} is used and ${requested} more is requested.`,
    };
  },
};
