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
/** Job with an existing owner and a deleted one. */
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
    'garbagecollector/N1',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      drops('garbagecollector', jobs, owned('j', 'report')),
    ],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/N2',
    [drops('garbagecollector', jobs, named('j'))],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/N5',
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
    'garbagecollector/N6',
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
    'garbagecollector/N7',
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['a/b'] }), named('j'))],
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['orphan'] }), named('j'))],
  ],
  [
    'garbagecollector/N9',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      turns('garbagecollector', jobs, owned('j', 'report'), named('j')),
    ],
    [turns('garbagecollector', jobs, owned('j', 'report'), named('j'))],
  ],
  [
    'garbagecollector/E1',
    [makes('user', jobs, owned('j', 'report'))],
    [
      makes('user', jobs, named('free')),
      makes('user', jobs, owned('j', 'report')),
      drops('garbagecollector', jobs, owned('j', 'report')),
    ],
  ],
  [
    'garbagecollector/E2',
    [makes('user', jobs, waiting)],
    [
      makes('user', jobs, named('held', {}, { ...ending, finalizers: ['a/b'] })),
      makes('user', jobs, waiting),
      drops('garbagecollector', jobs, waiting),
    ],
  ],
  [
    'garbagecollector/E3',
    [makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })), makes('user', jobs, ownedTwice)],
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      makes('user', jobs, ownedTwice),
      turns('garbagecollector', jobs, ownedTwice, owned('j', 'report')),
    ],
  ],
];
