import { secrets } from '../../../api/groups/core-v1.ts';
import {
  HOUR,
  named,
  token,
  makes,
  drops,
  turns,
  whileEnding,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

/** Histories of the invariants of `tokencleaner`. */
export const histories: readonly History[] = [
  [
    'tokencleaner/only-expiring-tokens',
    [drops('tokencleaner', secrets, named('plain'))],
    [drops('tokencleaner', secrets, token('t', 0))],
  ],
  [
    'tokencleaner/no-early-deletion',
    [drops('tokencleaner', secrets, token('t', HOUR))],
    [drops('tokencleaner', secrets, token('t', HOUR), HOUR)],
  ],
  [
    'tokencleaner/no-extended-deletion',
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
    'tokencleaner/expired-is-deleted',
    [makes('user', secrets, token('t', HOUR))],
    [
      makes('user', secrets, token('t', HOUR)),
      makes('user', secrets, token('later', 2 * HOUR)),
      makes('user', secrets, token('held', HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR), HOUR),
      turns('tokencleaner', secrets, token('held', HOUR), whileEnding(token('held', HOUR)), { atMs: HOUR }),
    ],
    HOUR,
  ],
];
