import type { Strategy } from '../../kinds/kind.ts';
import type { LimitRange } from '../../types/core-v1.ts';
import { validateLimitRange } from '../../validation/policy/limit-range.ts';

/** Strategy of LimitRanges. */
export const limitRangeStrategy: Strategy<LimitRange> = {
  /** Derives default limits from the maximum, and default requests from the limits and the minimum. */
  defaults(range) {
    for (const item of range.spec?.limits ?? []) {
      if (item.type !== 'Container') continue;
      item.default = { ...item.max, ...item.default };
      item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
    }
  },
  /** Uses the uid as the name of a LimitRange without a name. */
  prepareForCreate({ metadata }) {
    if (metadata?.uid !== undefined) metadata.name ||= metadata.uid;
  },
  validate: (next) => validateLimitRange(next),
};
