import { configMaps, resourceQuotas } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { HOUR, makes, named, turns, type History } from '../../invariants/histories/objects.fixture.ts';

const quota = (used: string, hard = '5'): ApiObject =>
  named('few', {
    spec: { hard: { configmaps: '5' } },
    status: { hard: { configmaps: hard }, used: { configmaps: used } },
  });

/** Histories of the invariants of `resourcequota`. */
export const histories: readonly History[] = [
  [
    'resourcequota/exact-limits',
    [turns('resourcequota', resourceQuotas, quota('0'), quota('0', '4'))],
    [turns('resourcequota', resourceQuotas, quota('0', '4'), quota('0'))],
  ],
  [
    'resourcequota/no-lost-usage',
    [makes('user', configMaps, named('a')), turns('resourcequota', resourceQuotas, quota('1'), quota('0'))],
    [
      makes('user', configMaps, named('a')),
      turns(
        'resourcequota',
        resourceQuotas,
        named('few', { spec: { hard: { configmaps: '5' } } }),
        quota('0'),
      ),
      turns('resourcequota', resourceQuotas, quota('2'), quota('1')),
    ],
  ],
  [
    'resourcequota/correct-usage',
    [makes('user', configMaps, named('a')), makes('user', resourceQuotas, quota('2'))],
    [makes('user', configMaps, named('a')), makes('user', resourceQuotas, quota('1'))],
    HOUR,
  ],
  [
    'resourcequota/limits-reported',
    [makes('user', resourceQuotas, quota('1', '4'))],
    [makes('user', resourceQuotas, quota('1'))],
  ],
];
