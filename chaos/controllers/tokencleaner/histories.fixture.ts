import { secrets } from '../../../api/groups/core-v1.ts';
import {
  HOUR,
  named,
  token,
  makes,
  drops,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

/** Histories of the invariants of `tokencleaner`. */
export const histories: readonly History[] = [
  [
    'tokencleaner/N1',
    [drops('tokencleaner', secrets, named('plain'))],
    [drops('tokencleaner', secrets, token('t', 0))],
  ],
  [
    'tokencleaner/N2',
    [drops('tokencleaner', secrets, token('t', HOUR))],
    [drops('tokencleaner', secrets, token('t', HOUR), HOUR)],
  ],
  [
    'tokencleaner/N3',
    [
      turns('user', secrets, token('t', 0), token('t', HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR)),
    ],
    [
      turns('user', secrets, token('t', 0), token('t', HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR), HOUR),
    ],
  ],
  [
    'tokencleaner/E1',
    [makes('user', secrets, token('t', HOUR))],
    [
      makes('user', secrets, token('t', HOUR)),
      makes('user', secrets, token('later', 2 * HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR), HOUR),
    ],
    HOUR,
  ],
];
