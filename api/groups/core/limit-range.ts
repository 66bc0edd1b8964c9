import type { Strategy } from '../../kinds/kind.ts';
import type { LimitRange } from '../../types/core-v1.ts';
import { validateLimitRange } from '../../validation/limit-range.ts';

export const limitRangeStrategy: Strategy<LimitRange> = {
  /** What a container gets by default follows from what it may have at most and must have at least. */
  defaults(range) {
    for (const item of range.spec?.limits ?? []) {
      if (item.type !== 'Container') continue;
      item.default = { ...item.max, ...item.default };
      item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
    }
  },
  /** Nobody speaks of a limit range by its name, so none need be given. */
  prepareForCreate({ metadata }) {
    if (metadata?.uid !== undefined) metadata.name ||= metadata.uid;
  },
  validate: (next) => validateLimitRange(next),
};
