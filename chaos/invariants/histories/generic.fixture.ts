import { jobs } from '../../../api/groups/batch-v1.ts';
import { configMaps } from '../../../api/groups/core-v1.ts';
import { named, makes, turns, type History } from './objects.fixture.ts';

export const genericHistories: readonly History[] = [
  [
    'generic/G3',
    [turns('x', configMaps, named('a'), named('a', {}, { resourceVersion: '2' }))],
    [turns('x', configMaps, named('a'), named('a', { data: { a: 'b' } }))],
  ],
  [
    'generic/G3-loop',
    Array.from({ length: 20 }, (_, n) => turns('x', configMaps, named('a'), named('a', { n }))),
    Array.from({ length: 20 }, (_, n) =>
      turns(n % 2 ? 'x' : 'user', configMaps, named('a'), named('a', { n })),
    ),
  ],
  [
    'generic/G11',
    [makes('x', jobs, named('a', { status: { observedGeneration: 2 } }, { generation: 1 }))],
    [makes('x', jobs, named('a', { status: { observedGeneration: 1 } }, { generation: 1 }))],
  ],
];
