import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { configMaps, namespaces, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { HOUR, cluster, cronJob, drops, named, makes, turns, type History } from './objects.fixture.ts';

const password = Buffer.from('correct horse').toString('base64');
const withSecret = makes('user', secrets, named('keys', { data: { password } }));

/**
 * Returns the creation of a ServiceAccount in the second hour, then that of its namespace at the given time.
 */
const accountIn = (namespaceMadeMs: number) => [
  makes('user', serviceAccounts, named('a', {}, { namespace: 'anew', creationTimestamp: toTime(HOUR) })),
  makes('user', namespaces, named('anew', {}, { ...cluster, creationTimestamp: toTime(namespaceMadeMs) })),
];
const madeThere = { ...makes('x', configMaps, named('a', {}, { namespace: 'anew' })), repeated: true };

export const genericHistories: readonly History[] = [
  [
    'generic/no-blind-write',
    [turns('x', configMaps, named('a'), named('a', { data: { a: 'b' } }))],
    [turns('x', configMaps, named('a'), named('a', { data: { a: 'b' } }), { decidedOn: { uid: 'a' } })],
  ],
  [
    'generic/no-blind-delete',
    [{ ...drops('x', configMaps, named('a')), decidedOn: { uid: 'a' } }],
    [{ ...drops('x', configMaps, named('a')), decidedOn: { resourceVersion: '1' } }],
  ],
  [
    'generic/no-empty-write',
    [turns('x', configMaps, named('a'), named('a', {}, { resourceVersion: '2' }))],
    [turns('x', configMaps, named('a'), named('a', { data: { a: 'b' } }))],
  ],
  [
    'generic/no-hot-loop',
    Array.from({ length: 20 }, (_, n) => turns('x', configMaps, named('a'), named('a', { n }))),
    Array.from({ length: 20 }, (_, n) =>
      turns(n % 2 ? 'x' : 'user', configMaps, named('a'), named('a', { n })),
    ),
  ],
  [
    'generic/no-write-after-restart',
    [{ ...makes('x', configMaps, named('a')), restarted: true }],
    [
      { ...makes('user', configMaps, named('a')), restarted: true },
      { ...makes('x', configMaps, named('b')), restarted: true },
    ],
  ],
  [
    'generic/no-write-after-resync',
    [{ ...makes('x', configMaps, named('a')), repeated: true }],
    [
      { ...makes('user', configMaps, named('a')), repeated: true },
      { ...makes('x', configMaps, named('b')), repeated: true },
    ],
  ],
  [
    // The recreated namespace has an account that survived its predecessor.
    'generic/no-write-after-resync',
    [...accountIn(0), madeThere],
    [...accountIn(2 * HOUR), madeThere],
  ],
  [
    'generic/status-is-current',
    [makes('x', jobs, named('a', { status: { observedGeneration: 2 } }, { generation: 1 }))],
    [makes('x', jobs, named('a', { status: { observedGeneration: 1 } }, { generation: 1 }))],
  ],
  [
    'generic/no-foreign-write',
    [turns('cronjob', cronJobs, cronJob({}), cronJob({ suspend: true }))],
    [
      turns('cronjob', cronJobs, cronJob({}), cronJob({}, { lastScheduleTime: 'now' })),
      turns('bootstrapsigner', configMaps, named('a'), named('a', { data: { 'jws-kubeconfig-abc': 'x' } })),
      makes('cronjob', jobs, named('a')),
    ],
  ],
  [
    'generic/no-leaked-secret',
    [withSecret, makes('x', configMaps, named('a', { data: { note: 'it is correct horse' } }))],
    [withSecret, makes('x', configMaps, named('a', { data: { note: 'it is secret' } }))],
  ],
];
