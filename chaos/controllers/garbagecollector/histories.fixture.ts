import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import {
  named,
  owned,
  cronJob,
  makes,
  drops,
  ending,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const orphaning = cronJob({}, {}, { uid: 'report', ...ending, finalizers: ['orphan'] });

const waiting = named('j', {}, { ...ending, finalizers: ['foregroundDeletion'] });
/** A Job with an existing owner and a deleted owner. */
const ownedTwice = named(
  'j',
  {},
  {
    ownerReferences: [
      { kind: 'CronJob', name: 'report', uid: 'report' },
      { kind: 'CronJob', name: 'gone', uid: 'gone' },
    ],
  },
);

/** Histories of the invariants of `garbagecollector`. */
export const histories: readonly History[] = [
  [
    'garbagecollector/no-owned-deletion',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      drops('garbagecollector', jobs, owned('j', 'report')),
    ],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/no-ownerless-deletion',
    [drops('garbagecollector', jobs, named('j'))],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/no-early-orphan-release',
    [
      makes('user', jobs, owned('j', 'report')),
      turns('user', cronJobs, cronJob({}, {}, { uid: 'report' }), orphaning),
      drops('garbagecollector', cronJobs, orphaning),
    ],
    [
      makes('user', jobs, owned('j', 'another')),
      turns('user', cronJobs, cronJob({}, {}, { uid: 'report' }), orphaning),
      makes('user', jobs, owned('k', 'report')),
      drops('garbagecollector', cronJobs, orphaning),
    ],
  ],
  [
    'garbagecollector/no-early-foreground-release',
    [
      makes('user', jobs, owned('j', 'report')),
      drops(
        'garbagecollector',
        cronJobs,
        cronJob({}, {}, { uid: 'report', ...ending, finalizers: ['foregroundDeletion'] }),
      ),
    ],
    [
      drops(
        'garbagecollector',
        cronJobs,
        cronJob({}, {}, { uid: 'report', ...ending, finalizers: ['foregroundDeletion'] }),
      ),
    ],
  ],
  [
    'garbagecollector/no-foreign-finalizer-removed',
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['a/b'] }), named('j'))],
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['orphan'] }), named('j'))],
  ],
  [
    'garbagecollector/no-live-reference-removed',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      turns('garbagecollector', jobs, owned('j', 'report'), named('j')),
    ],
    [turns('garbagecollector', jobs, owned('j', 'report'), named('j'))],
  ],
  [
    'garbagecollector/garbage-is-deleted',
    [makes('user', jobs, owned('j', 'report'))],
    [
      makes('user', jobs, named('free')),
      makes('user', jobs, owned('j', 'report')),
      drops('garbagecollector', jobs, owned('j', 'report')),
    ],
  ],
  [
    'garbagecollector/no-stuck-foreground',
    [makes('user', jobs, waiting)],
    [
      makes('user', jobs, named('held', {}, { ...ending, finalizers: ['a/b'] })),
      makes('user', jobs, waiting),
      drops('garbagecollector', jobs, waiting),
    ],
  ],
  [
    'garbagecollector/no-dangling-reference',
    [makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })), makes('user', jobs, ownedTwice)],
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      makes('user', jobs, ownedTwice),
      turns('garbagecollector', jobs, ownedTwice, owned('j', 'report')),
    ],
  ],
];
