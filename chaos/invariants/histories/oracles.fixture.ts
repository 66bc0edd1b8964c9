import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { persistentVolumeClaims, persistentVolumes } from '../../../api/groups/core-v1-storage.ts';
import { configMaps, namespaces, pods, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { ApiObject, Kind } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import type { Step } from '../history.fixture.ts';
import { lifecycleHistories } from './lifecycles.fixture.ts';
import {
  type History,
  HOUR,
  cluster,
  cronJob,
  drops,
  ending,
  makes,
  named,
  namespace,
  owned,
  request,
  token,
  turns,
} from './objects.fixture.ts';
import { begins, ends, entry, isEnqueued, node, seen, wrote } from './steps.fixture.ts';

const MINUTE = 60_000;
/** Returns the notification that puts an object into the cache of the process. */
const shows = (kind: Kind<never>, { metadata = {} }: ApiObject): Step =>
  seen({
    type: 'notified',
    informer: `/${kind.plural} #1`,
    change: 'apply',
    key: `${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    version: `${metadata.uid ?? ''}@${metadata.resourceVersion ?? ''}`,
  });

/** Returns steps in which a user creates objects and the process is notified of them. */
const known = (kind: Kind<never>, ...objects: readonly ApiObject[]): readonly Step[] =>
  objects.flatMap((object) => [makes('user', kind, object), shows(kind, object)]);

const requestSteps = {
  sent: (identity: string, call: string, version?: string) =>
    seen({ type: 'write.sent', identity, call, ...(version !== undefined && { version }) }),
  answered: (identity: string, call: string, version: string, status: number, isIdle = false) =>
    seen({ type: 'write.answered', identity, call, version, status, isIdle }),
};

const PUT = 'signer PUT /api/v1/namespaces/team/configmaps/a';
const POST = 'job POST /api/v1/namespaces/team/pods';
/** Request that creates a pod, without the number of its reconcile. */
const POD = `${POST} {"metadata":{"generateName":"a-"}}`;
const { sent, answered } = requestSteps;
const lost = (identity: string): Step =>
  seen({ type: 'write.unanswered', identity, call: POST, isConditional: false });

const account = (names: readonly string[]): ApiObject =>
  named('default', { secrets: names.map((name) => ({ name })) });
const drop = turns('x', serviceAccounts, account(['a', 'b']), account(['b']), { node });
const dependentOf = (...owners: readonly string[]): ApiObject =>
  named(
    'd',
    {},
    { ownerReferences: owners.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name })) },
  );

const requestHistories: readonly History[] = [
  [
    'requests/no-idle-write',
    [answered('1', PUT, '7', 200, true), answered('2', PUT, '7', 200, true)],
    [answered('1', PUT, '7', 200, true), answered('2', PUT, '7', 200), answered('3', PUT, '8', 200, true)],
  ],
  [
    'requests/no-twin',
    [sent(`1 ${POD}`, POST), lost(`1 ${POD}`), sent(`2 ${POD}`, POST)],
    [
      sent(`1 ${POD}`, POST),
      lost(`1 ${POD}`),
      sent(`2 ${POD} of another Job`, POST),
      seen({ type: 'read.sent', call: POST.replace('POST', 'GET') }),
      sent(`2 ${POD}`, POST),
    ],
  ],
  [
    'requests/no-twin',
    [sent(`1 ${POD}`, POST), lost(`1 ${POD}`), sent(`1 ${POD}`, POST)],
    // The server stores no object for a review.
    [lost(`1 ${POD}`), lost(`1 ${POST} {}`), sent(`2 ${POST} {}`, POST)],
  ],
  [
    'requests/no-write-without-decision',
    [
      turns('user', configMaps, named('a'), named('a', { data: {} }, { resourceVersion: '3' })),
      answered(`1 ${PUT} x`, PUT, '1', 409),
      sent(`1 ${PUT} y`, PUT, '3'),
    ],
    [
      turns('user', configMaps, named('a'), named('a', { data: {} }, { resourceVersion: '3' })),
      answered(`1 ${PUT} x`, PUT, '1', 409),
      entry({ kind: 'effect.started', controller: 'signer', key: 'a' }, 0),
      sent(`1 ${PUT} y`, PUT, '3'),
    ],
  ],
  [
    'requests/no-dropped-reference',
    [makes('user', secrets, named('a')), begins('x', 'team/a'), drop],
    [begins('x', 'team/a'), makes('user', secrets, named('a')), drop],
  ],
  [
    'requests/no-dropped-reference',
    [
      makes('user', configMaps, named('o')),
      begins('x', 'team/d'),
      turns('x', configMaps, dependentOf('o', 'p'), dependentOf('p'), { node }),
    ],
    [
      makes('user', configMaps, named('o', {}, { uid: 'another' })),
      begins('x', 'team/d'),
      turns('x', configMaps, dependentOf('o', 'p'), dependentOf('p'), { node }),
    ],
  ],
];

const report = cronJob({});
const run = (name: string, hour: number): ApiObject => {
  const { metadata, ...rest } = owned(name, 'report', {
    status: {
      startTime: toTime(hour * HOUR),
      conditions: [{ type: 'Complete', status: 'True' }],
    },
  });
  return { ...rest, metadata: { ...metadata } };
};
const [older, newer] = [run('older', 1), run('newer', 2)];
const cleans = (...deleted: readonly ApiObject[]): readonly Step[] => [
  makes('user', cronJobs, report),
  ...known(jobs, older, newer),
  begins('cronjob', 'team/report'),
  ...deleted.map((job) => ({ ...drops('cronjob', jobs, job), node })),
  ends('cronjob', 'team/report'),
];
const many = named('many');
const podOf = (name: string, minute: number, status: object = {}): ApiObject => {
  const { metadata, ...rest } = owned(name, 'many', { status });
  return { ...rest, metadata: { ...metadata, creationTimestamp: toTime(minute * MINUTE) } };
};
const [first, second] = [podOf('first', 1), podOf('second', 2)];
const shrinks = (deleted: ApiObject): readonly Step[] => [
  makes('user', jobs, many),
  ...known(pods, first, second),
  begins('job', 'team/many'),
  { ...drops('job', pods, deleted), node },
  ends('job', 'team/many'),
];

const choiceHistories: readonly History[] = [
  ['choice/cronjob-keeps-newest', [...cleans(newer)], [...cleans(older)]],
  ['choice/cronjob-keeps-newest', [...cleans(newer)], [...cleans(newer, older)]],
  ['choice/job-keeps-oldest-pod', [...shrinks(first)], [...shrinks(second)]],
];

const failed = (name: string): ApiObject => podOf(name, 0, { phase: 'Failed' });
const replaces = (failures: readonly string[], atMs: number): readonly Step[] => [
  makes('user', jobs, many),
  ...known(pods, ...failures.map(failed)),
  begins('job', 'team/many', atMs),
  { ...makes('job', pods, podOf('next', 0), atMs), node },
];
const paceHistories: readonly History[] = [
  [
    'pace/job-replaces-pods-slowly',
    [...replaces(['a', 'b', 'c'], 12_000)],
    [...replaces(['a', 'b', 'c'], 20_000)],
  ],
  [
    'pace/job-replaces-pods-slowly',
    [...replaces(['a', 'b', 'c'], 12_000)],
    // The process crashed after it had sent the creation.
    [
      ...replaces(['a', 'b', 'c'], 12_000).map((step) => ({ ...step, abandoned: true })),
      { ...makes('job', pods, podOf('other', 0), 20_000), node },
    ],
  ],
  [
    'pace/failed-request-backs-off',
    Array.from({ length: 12 }, (_, n) => wrote('403', n * 10)),
    Array.from({ length: 24 }, (_, n) => wrote(n % 11 === 10 ? '201' : '403', n * 10)),
  ],
];

const finished = (type: string): ApiObject =>
  named('single', {
    spec: { ttlSecondsAfterFinished: 60 },
    status: { conditions: [{ type, status: 'True', lastTransitionTime: toTime(0) }] },
  });
/** Returns a reconcile two minutes after the first hour that makes the given changes. */
const acts = (controller: string, key: string, ...changes: readonly Step[]): readonly Step[] => [
  begins(controller, key, HOUR + 2 * MINUTE),
  ...changes,
  ends(controller, key, HOUR + 2 * MINUTE),
];
const hourly = cronJob({}, {}, { creationTimestamp: toTime(0) });
const edited = (spec: object, status: object = {}): ApiObject =>
  cronJob(spec, status, { creationTimestamp: toTime(0), resourceVersion: '2' });
const edit = (spec: object, atMs = HOUR): readonly Step[] => [
  ...known(cronJobs, hourly),
  turns('user', cronJobs, hourly, edited(spec), { atMs }),
  shows(cronJobs, edited(spec)),
  isEnqueued('cronjob', 'team/report', atMs + 1),
];
const starts = (spec: object): Step =>
  turns('cronjob', cronJobs, edited(spec), edited(spec, { lastScheduleTime: toTime(HOUR) }));
const unfinished = named('single', { spec: { ttlSecondsAfterFinished: 60 }, status: {} });
const expired = [
  ...known(jobs, finished('Complete')),
  drops('ttlafterfinished', jobs, finished('Complete'), HOUR),
];
const runsFor = (spec: object): ApiObject => named('single', { spec, status: { startTime: toTime(0) } });

const dueHistories: readonly History[] = [
  [
    'due/finished-job-expires',
    [...known(jobs, finished('Failed')), ...acts('ttlafterfinished', 'team/single')],
    [
      ...known(jobs, finished('Failed')),
      ...acts('ttlafterfinished', 'team/single', drops('ttlafterfinished', jobs, finished('Failed'))),
    ],
  ],
  [
    'due/finished-job-expires',
    [...known(jobs, finished('Failed')), drops('ttlafterfinished', jobs, finished('Failed'), -MINUTE)],
    // A user may delete it earlier.
    [...known(jobs, finished('Failed')), drops('user', jobs, finished('Failed'), -MINUTE), ...expired],
  ],
  [
    'due/finished-job-expires',
    [...known(jobs, unfinished), drops('ttlafterfinished', jobs, unfinished, HOUR)],
    [...expired],
  ],
  [
    'due/active-deadline-ends-job',
    [makes('user', jobs, runsFor({ activeDeadlineSeconds: 60 }))],
    [
      makes('user', jobs, runsFor({ activeDeadlineSeconds: 60 })),
      turns('job', jobs, runsFor({ activeDeadlineSeconds: 60 }), finished('Failed'), { atMs: MINUTE }),
    ],
    HOUR,
  ],
  [
    'due/bootstrap-token-expires',
    [...known(secrets, token('t', HOUR))],
    [...known(secrets, token('t', HOUR)), drops('tokencleaner', secrets, token('t', HOUR), HOUR)],
    2 * HOUR,
  ],
  [
    'due/certificate-request-expires',
    [...known(certificateSigningRequests, request())],
    [
      ...known(certificateSigningRequests, request()),
      drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR),
    ],
    25 * HOUR,
  ],
  [
    'due/scheduled-run-starts',
    [...edit({ jobTemplate: {} }), ...acts('cronjob', 'team/report')],
    [...edit({ jobTemplate: {} }), ...acts('cronjob', 'team/report', starts({ jobTemplate: {} }))],
  ],
  [
    'due/scheduled-run-starts',
    [...edit({ schedule: '*/30 * * * *' }, MINUTE), ...acts('cronjob', 'team/report')],
    // A new schedule applies from the time at which the process observed it.
    [
      ...edit({ schedule: '*/30 * * * *' }, MINUTE),
      ...acts('cronjob', 'team/report', starts({ schedule: '*/30 * * * *' })),
      ...edit({ schedule: '*/20 * * * *' }, HOUR + MINUTE),
      ...acts('cronjob', 'team/report'),
    ],
  ],
];

const held = (name: string, finalizer: string, metadata: object = {}): ApiObject =>
  named(name, {}, { finalizers: [finalizer], ...metadata });
const released = (name: string): ApiObject => named(name);
const pvc = orchVocabulary.key('', 'pvc-protection');
const pv = orchVocabulary.key('', 'pv-protection');
const tracked = (owner?: string): ApiObject => {
  const pod = owner === undefined ? named('p') : owned('p', owner);
  return {
    ...pod,
    metadata: { ...pod.metadata, finalizers: [orchVocabulary.key('batch', 'job-tracking')] },
  };
};

const heldHistories: readonly History[] = [
  [
    'held/pod-of-no-job',
    [makes('job', pods, tracked('many')), turns('garbagecollector', pods, tracked('many'), tracked())],
    [makes('user', jobs, many), makes('job', pods, tracked('many'))],
    HOUR,
  ],
  [
    'held/no-orphaning-owner',
    [makes('user', configMaps, held('o', 'orphan')), makes('user', configMaps, held('o', 'orphan', ending))],
    [makes('user', configMaps, held('o', 'orphan')), makes('user', configMaps, released('o'))],
    HOUR,
  ],
  [
    'held/no-unblocked-owner',
    [makes('user', configMaps, held('o', 'foregroundDeletion', ending))],
    [
      makes('user', configMaps, held('o', 'foregroundDeletion', ending)),
      makes('user', configMaps, owned('d', 'o')),
    ],
    HOUR,
  ],
  [
    'held/no-unused-claim',
    [makes('user', persistentVolumeClaims, held('c', pvc, ending))],
    [
      makes('user', persistentVolumeClaims, held('c', pvc, ending)),
      makes('user', pods, named('p', { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] } })),
    ],
    HOUR,
  ],
  [
    'held/no-unbound-volume',
    [makes('user', persistentVolumes, held('v', pv, { ...ending, ...cluster }))],
    [makes('user', persistentVolumes, held('v', pv, cluster))],
    HOUR,
  ],
  [
    'held/no-empty-namespace',
    [makes('user', namespaces, namespace()), makes('user', namespaces, namespace(ending))],
    [makes('user', namespaces, namespace(ending)), makes('user', configMaps, named('a'))],
    HOUR,
  ],
];

/** Histories of the invariants in `oracles`. */
export const oracleHistories: readonly History[] = [
  ...requestHistories,
  ...choiceHistories,
  ...paceHistories,
  ...dueHistories,
  ...heldHistories,
  ...lifecycleHistories,
];
