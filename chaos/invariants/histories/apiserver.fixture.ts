import { configMaps } from '../../../api/groups/core-v1.ts';
import { named, ending, makes, drops, turns, type History } from './objects.fixture.ts';

export const apiserverHistories: readonly History[] = [
  [
    'apiserver/versions-grow',
    [
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '9' }),
        named('a', {}, { resourceVersion: '10' }),
      ),
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '10' }),
        named('a', {}, { resourceVersion: '9' }),
      ),
    ],
    [
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '9' }),
        named('a', {}, { resourceVersion: '10' }),
      ),
    ],
  ],
  [
    'apiserver/no-reused-uid',
    [
      makes('user', configMaps, named('a')),
      drops('user', configMaps, named('a')),
      makes('user', configMaps, named('a')),
    ],
    [
      makes('user', configMaps, named('a')),
      drops('user', configMaps, named('a')),
      makes('user', configMaps, named('a', {}, { uid: 'other' })),
    ],
  ],
  [
    'apiserver/deletion-is-final',
    [turns('user', configMaps, named('a', {}, ending), named('a'))],
    [turns('user', configMaps, named('a', {}, { ...ending, finalizers: ['a/b'] }), named('a', {}, ending))],
  ],
];
