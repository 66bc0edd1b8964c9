import { jobs } from '../../../api/groups/batch-v1.ts';
import { configMaps, events as eventKind, pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { toTime } from '../../../base/clock/clock.ts';
import type { Step } from '../history.fixture.ts';
import { type History, HOUR, drops, makes, named, owned, turns } from './objects.fixture.ts';
import { ends, entry, node, seen, wrote } from './steps.fixture.ts';

const MINUTE = 60_000;
const endsAs = (outcome: 'failed' | 'requeue'): Step =>
  entry({ kind: 'reconcile.finished', controller: 'x', key: 'a', reconcileId: '1', outcome }, 0);
const updates = (decidedOn: object): Step =>
  turns('x', configMaps, named('a'), named('a', { data: {} }), { decidedOn });

const asked = (type: 'request.sent' | 'request.ended'): Step =>
  seen({ type, effect: '1 act', call: 'x GET /api/v1/namespaces/team/pods/a' });
const effectEnds = (kind: 'effect.done' | 'effect.failed'): Step =>
  entry({ kind, controller: 'x', key: 'a', reconcileId: '1', state: 'act' }, 0);

const failureHistories: readonly History[] = [
  ['requests/no-unconditional-update', [updates({ uid: 'a' })], [updates({ resourceVersion: '1' })]],
  [
    'requests/no-swallowed-failure',
    [wrote('500'), ends('x', 'a')],
    [wrote('500'), wrote('201'), ends('x', 'a'), wrote('ERR_CONNECTION'), endsAs('failed')],
  ],
  // A state that has changed is no failure.
  [
    'requests/no-swallowed-failure',
    [wrote('ERR_CONNECTION'), wrote('201', 0, { path: '/other' }), ends('x', 'a')],
    [wrote('409'), ends('x', 'a'), wrote('429'), endsAs('requeue')],
  ],
  [
    'requests/no-unawaited-request',
    [asked('request.sent'), effectEnds('effect.done')],
    [
      asked('request.sent'),
      asked('request.ended'),
      effectEnds('effect.done'),
      // An effect that fails leaves its other requests behind.
      asked('request.sent'),
      effectEnds('effect.failed'),
      ends('x', 'a'),
    ],
  ],
];

const failedPods = (failed: number, reason?: string): ApiObject =>
  named('single', {
    kind: 'Job',
    spec: { backoffLimit: 1, activeDeadlineSeconds: 600 },
    status: {
      failed,
      startTime: toTime(0),
      conditions: reason === undefined ? [] : [{ type: 'Failed', status: 'True', reason }],
    },
  });
const fails = (reason: string, failed: number, atMs = 0): Step =>
  turns('job', jobs, failedPods(0), failedPods(failed, reason), { atMs });
/** Returns an Event about the Job `single`. */
const says = (reason: string, message: string, kind = 'Job', name = 'single'): Step => ({
  ...makes(
    'events',
    eventKind,
    named(`${reason}.${message}`, { reason, message, involvedObject: { kind, name, uid: name } }),
  ),
  node,
});
const ofReport = (name: string): ApiObject => owned(name, 'report');

const truthHistories: readonly History[] = [
  [
    'claims/job-past-backoff-limit',
    [fails('BackoffLimitExceeded', 1)],
    [fails('BackoffLimitExceeded', 2), makes('job', jobs, named('other', { status: { failed: 6 } }))],
    HOUR,
  ],
  [
    'claims/job-past-backoff-limit',
    [makes('job', jobs, failedPods(2))],
    [makes('job', jobs, failedPods(1)), fails('BackoffLimitExceeded', 2)],
    HOUR,
  ],
  [
    'claims/job-past-deadline',
    [fails('DeadlineExceeded', 0, 5 * MINUTE)],
    [fails('DeadlineExceeded', 0, 10 * MINUTE)],
  ],
  [
    'claims/events-are-true',
    [says('SuccessfulCreate', 'Created pod: p')],
    [makes('job', pods, named('p')), says('SuccessfulCreate', 'Created pod: p')],
  ],
  [
    'claims/events-are-true',
    [makes('job', pods, named('p')), says('SuccessfulDelete', 'Deleted pod: p')],
    [
      makes('job', pods, named('p')),
      drops('user', pods, named('p')),
      says('SuccessfulDelete', 'Deleted pod: p'),
    ],
  ],
  [
    'claims/events-are-true',
    [says('FailedCreate', 'Error creating: no'), wrote('500')],
    [wrote('500'), says('FailedCreate', 'Error creating: no')],
  ],
  [
    'claims/events-are-true',
    [makes('user', jobs, failedPods(0)), says('BackoffLimitExceeded', 'too many')],
    // The status may be written after the Event.
    [
      makes('user', jobs, failedPods(0)),
      says('BackoffLimitExceeded', 'too many'),
      fails('BackoffLimitExceeded', 2),
    ],
  ],
  [
    'claims/events-are-true',
    [
      makes('cronjob', jobs, ofReport('run')),
      says('MissingJob', 'Active job went missing: run', 'CronJob', 'report'),
    ],
    [
      makes('cronjob', jobs, ofReport('run')),
      turns('garbagecollector', jobs, ofReport('run'), named('run')),
      says('MissingJob', 'Active job went missing: run', 'CronJob', 'report'),
    ],
  ],
];

/** Histories of the invariants about failures that are reported as successes, and about what controllers say. */
export const claimHistories: readonly History[] = [...failureHistories, ...truthHistories];
