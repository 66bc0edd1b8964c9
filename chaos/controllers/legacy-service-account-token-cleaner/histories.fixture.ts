import { pods, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import {
  HOUR,
  drops,
  makes,
  named,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const CLEANER = 'legacy-service-account-token-cleaner';
const YEAR = 365 * 24 * HOUR;
const NOW = 10 * YEAR;

const label = (name: string, ms: number) => ({ [orchVocabulary.key('', name)]: toTime(ms).slice(0, 10) });
const marked = (ms: number) => label('legacy-token-invalid-since', ms);
const used = (ms: number) => label('legacy-token-last-used', ms);

const token = (labels: object = {}, type = orchVocabulary.secretTypes.serviceAccountToken): ApiObject =>
  named('robot-token-x', { type }, { labels, creationTimestamp: toTime(0) });
const account = named('robot', { secrets: [{ name: 'robot-token-x' }] });
const pod = named(
  'user',
  { spec: { volumes: [{ name: 'v', secret: { secretName: 'robot-token-x' } }] } },
  { creationTimestamp: toTime(0) },
);

/** Histories of the invariants of `legacy-service-account-token-cleaner`. */
export const histories: readonly History[] = [
  [
    `${CLEANER}/no-early-deletion`,
    [drops(CLEANER, secrets, token(marked(NOW - HOUR)), NOW)],
    [drops(CLEANER, secrets, token(marked(NOW - 2 * YEAR)), NOW)],
  ],
  [
    `${CLEANER}/no-used-token-marked`,
    [makes('user', pods, pod), drops(CLEANER, secrets, token(marked(0)), NOW)],
    [turns(CLEANER, secrets, token(used(0)), token({ ...used(0), ...marked(NOW) }), { atMs: NOW })],
  ],
  [
    `${CLEANER}/only-generated-tokens`,
    [drops(CLEANER, secrets, token({}, 'Opaque'))],
    [drops(CLEANER, secrets, token())],
  ],
  [
    `${CLEANER}/marked-with-today`,
    [turns(CLEANER, secrets, token(), token(marked(NOW - 24 * HOUR)), { atMs: NOW + HOUR })],
    [turns(CLEANER, secrets, token(), token(marked(NOW)), { atMs: NOW + HOUR })],
  ],
  [
    `${CLEANER}/unused-is-deleted`,
    [makes('user', serviceAccounts, account), makes('user', secrets, token())],
    [makes('user', serviceAccounts, account), makes('user', secrets, token(marked(NOW)))],
    NOW,
  ],
];
