import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { persistentVolumes } from '../../../api/groups/core-v1-storage.ts';
import { configMaps, namespaces, pods, secrets } from '../../../api/groups/core-v1.ts';
import type { Step } from '../history.fixture.ts';
import {
  type History,
  HOUR,
  cluster,
  condition,
  cronJob,
  drops,
  ending,
  makes,
  named,
  namespace,
  request,
  token,
  turns,
} from './objects.fixture.ts';

const csrs = certificateSigningRequests;
const approved = request({ conditions: [condition('Approved')] });
const denied = request({ conditions: [condition('Denied')] });
const issued = request({ conditions: [condition('Approved')], certificate: 'x' });
const job = (type: string) => named('j', { status: { conditions: [condition(type)] } });
const pod = (phase: string) => named('p', { status: { phase } });
const disk = (phase: string) => named('d', { status: { phase } }, cluster);
const due = cronJob({}, { lastScheduleTime: '1970-01-01T00:00:00Z' });
const running = cronJob({}, { lastScheduleTime: '1970-01-01T01:00:00Z', active: [{ name: 'report-1' }] });
const suspended = cronJob({ suspend: true });

/** A forbidden history, and an allowed one that differs in the state or in the actor. */
const PAIRS: readonly (readonly [breaks: readonly Step[], keeps: readonly Step[]])[] = [
  [
    [turns('csrsigning', csrs, request(), issued)],
    [makes('user', csrs, request()), turns('csrsigning', csrs, approved, issued)],
  ],
  [[turns('user', csrs, denied, approved)], [turns('user', csrs, request(), denied)]],
  [[turns('csrsigning', csrs, denied, issued)], [turns('csrapproving', csrs, request(), approved)]],
  [[drops('tokencleaner', secrets, token('t', HOUR))], [drops('tokencleaner', secrets, token('t', 0))]],
  [
    [turns('namespace', namespaces, namespace(), namespace(ending))],
    [
      turns('user', namespaces, namespace(), namespace(ending)),
      drops('namespace', namespaces, namespace(ending)),
    ],
  ],
  [[turns('user', configMaps, named('a', {}, ending), named('a'))], [drops('job', configMaps, named('a'))]],
  [
    [turns('job', jobs, job('Complete'), job('Failed'))],
    [turns('job', jobs, named('j'), job('Failed')), drops('ttlafterfinished', jobs, job('Failed'))],
  ],
  [[drops('ttlafterfinished', jobs, named('j'))], [drops('cronjob', jobs, named('j'))]],
  [[turns('job', pods, pod('Running'), pod('Failed'))], [turns('user', pods, pod('Running'), pod('Failed'))]],
  [
    [turns('user', pods, pod('Failed'), pod('Running'))],
    [turns('user', pods, pod('Pending'), pod('Running'))],
  ],
  [
    [turns('pv-protection', persistentVolumes, disk('Bound'), disk('Released'))],
    [turns('user', persistentVolumes, disk('Bound'), disk('Released'))],
  ],
  [
    // The request of a creation may be cut off; no write undoes the end of a pod.
    [turns('apiserver', pods, pod('Failed'), pod('Running'))],
    [makes('apiserver', pods, pod('Pending'))],
  ],
  [
    [turns('cronjob', cronJobs, suspended, running, { atMs: HOUR })],
    [turns('cronjob', cronJobs, due, running, { atMs: HOUR })],
  ],
];

/** Histories of the invariant about lifecycles. */
export const lifecycleHistories: readonly History[] = PAIRS.map(([breaks, keeps]) => [
  'lifecycles/allowed-transition',
  breaks,
  keeps,
]);
