import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { jobNames } from '../../../controllers/job/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { jobInvariants } from './invariants.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import { uidOf } from '../../explore/model-store.ts';
import type { Action, Scenario } from '../../explore/scenario.ts';

/**
 * Returns the namespace of a Job. Each Job has a dedicated namespace, so that a list for one Job does not
 * contain pods of another.
 */
const namespaceOf = (job: string): string => `team-${job}`;

/**
 * Returns the action that ends a pod, as the node agent does. The name is the one that the model server
 * generates for the nth pod.
 */
const ends = (job: string, nth: number, phase: 'Succeeded' | 'Failed'): Action =>
  updates(
    `pod ${job}-${nth} has ${phase.toLowerCase()}`,
    pods,
    namespaceOf(job),
    `${job}-${nth}`,
    ({ status, metadata }) =>
      status?.phase === 'Succeeded' || status?.phase === 'Failed' || metadata?.deletionTimestamp
        ? undefined
        : { status: { ...status, phase } },
    { subresource: 'status', ...(phase === 'Succeeded' ? { progress: true } : {}) },
  );

const labelsOf = (name: string): Readonly<Record<string, string>> => ({ 'job-name': name });

/** Returns a Job as the server stores it, with the labels of its pods. */
const jobOf = (vocabulary: Vocabulary, name: string, spec: Partial<NonNullable<Job['spec']>>): Job => ({
  kind: 'Job',
  apiVersion: vocabulary.apiVersion('batch', 'v1'),
  metadata: {
    name,
    namespace: namespaceOf(name),
    labels: labelsOf(name),
    creationTimestamp: toTime(NOON),
  },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 1,
    selector: { matchLabels: labelsOf(name) },
    template: {
      metadata: { labels: labelsOf(name) },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    },
    ...spec,
  },
  status: {},
});

/** Index of the Map that records whether the server keeps a status field. All Jobs share this Map. */
const KEEPS = 3;

/**
 * Creates a workload of Jobs. The changes are distributed over the Jobs.
 * @param succeed numbers of the pods that may succeed, in the order of their creation
 */
const scenarioWith =
  (
    changes: readonly ((name: string) => Action)[],
    others: readonly Pod[] = [],
    spec: Partial<NonNullable<Job['spec']>> = {},
    succeed: readonly number[] = [0, 1],
  ) =>
  (vocabulary: Vocabulary, objects: number): Scenario => ({
    controller: 'job',
    instants: [NOON, NOON + MINUTE],
    patient: true,
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name, at) => ({
        objects: [
          planted(jobs, jobOf(vocabulary, name, spec)),
          ...others
            .filter(({ metadata }) => metadata?.namespace === namespaceOf(name))
            .map((pod) => planted(pods, pod)),
        ],
        actions: [
          ...succeed.map((nth) => ends(name, nth, 'Succeeded')),
          ...sharedOut(changes, objects, at).map((change) => change(name)),
        ],
      })),
    ),
    lessons: [{ container: KEEPS, key: 'uncountedTerminatedPods', value: true }],
    invariants: jobInvariants(vocabulary),
  });

/** Returns a workload: a pod fails, and the user deletes a Job. */
export const jobScenario = scenarioWith([
  (name) => ends(name, 0, 'Failed'),
  (name) =>
    deletes('the user deletes the Job', jobs, namespaceOf(name), name, { propagationPolicy: 'Background' }),
]);

/** Returns a workload: the user deletes a pod, and its Job creates another pod. */
export const evictedPodScenario = scenarioWith([
  (name) => deletes(`the user deletes pod ${name}-0`, pods, namespaceOf(name), `${name}-0`),
]);

const strayPod: Pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'stray', namespace: namespaceOf('a'), labels: labelsOf('a') },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Running' },
};

const ownerOf = (vocabulary: Vocabulary, name: string) => ({
  apiVersion: vocabulary.apiVersion('batch', 'v1'),
  kind: 'Job',
  name,
  uid: uidOf(resourceOf(jobs), name, 1),
  controller: true,
  blockOwnerDeletion: true,
});

/** Returns a pod of a Job that exists from the start. */
const ownedPod = (vocabulary: Vocabulary, job: string, name: string, phase: 'Running' | 'Failed'): Pod => ({
  ...strayPod,
  metadata: {
    name,
    namespace: namespaceOf(job),
    labels: labelsOf(job),
    creationTimestamp: toTime(NOON),
    ownerReferences: [ownerOf(vocabulary, job)],
  },
  status: { phase },
});

/**
 * Returns a workload: a pod without a controller has a Job's labels and is adopted. Then it loses the labels
 * and is released.
 */
export const strayPodScenario = scenarioWith(
  [
    (name) =>
      updates(
        'the user removes the label of the stray pod',
        pods,
        namespaceOf(name),
        'stray',
        ({ metadata }) => (metadata?.labels ? { metadata: { ...metadata, labels: {} } } : undefined),
      ),
  ],
  [strayPod],
);

/** Returns a workload: at the same time, one pod must be adopted and another must be released. */
export function exchangedPodScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const strayed: Pod = {
    ...strayPod,
    metadata: {
      name: 'strayed',
      namespace: namespaceOf('a'),
      ownerReferences: [ownerOf(vocabulary, 'a')],
    },
  };
  return scenarioWith([], [strayPod, strayed])(vocabulary, objects);
}

/** Creates a workload of Jobs that are already in progress. Users perform no actions. */
const begunScenario =
  (
    spec: Partial<NonNullable<Job['spec']>>,
    status: NonNullable<Job['status']>,
    podsOf: (vocabulary: Vocabulary, name: string) => readonly Pod[],
    untilMs: number,
  ) =>
  (vocabulary: Vocabulary, objects: number): Scenario => ({
    controller: 'job',
    instants: [NOON, untilMs],
    patient: true,
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => {
        const job = jobOf(vocabulary, name, spec);
        const annotations = { [jobNames(vocabulary).tracking]: '' };
        return {
          objects: [
            planted(jobs, {
              ...job,
              metadata: { ...job.metadata, annotations },
              status: { uncountedTerminatedPods: {}, ...status },
            }),
            ...podsOf(vocabulary, name).map((pod) => planted(pods, pod)),
          ],
          actions: [],
        };
      }),
    ),
    invariants: jobInvariants(vocabulary),
  });

const FAILURES = 5;

/** Returns a workload: Jobs that are resumed during the back-off of failed pods. */
export const resumedJobScenario = begunScenario(
  { backoffLimit: 2 * FAILURES },
  {
    startTime: toTime(NOON - MINUTE),
    failed: FAILURES,
    conditions: [{ type: 'Suspended', status: 'True' }],
  },
  (vocabulary, name) =>
    Array.from({ length: FAILURES }, (_, nth) => ownedPod(vocabulary, name, `failed-${nth}`, 'Failed')),
  NOON + 2 * MINUTE,
);

/** Returns a workload: Jobs whose deadline has passed while a pod runs. */
export const overdueJobScenario = begunScenario(
  { activeDeadlineSeconds: 60 },
  { startTime: toTime(NOON - 2 * MINUTE), active: 1 },
  (vocabulary, name) => {
    const pod = ownedPod(vocabulary, name, 'running', 'Running');
    return [{ ...pod, metadata: { ...pod.metadata, finalizers: [jobNames(vocabulary).tracking] } }];
  },
  NOON + MINUTE,
);

const suspends = (name: string, is: boolean): Action =>
  updates(
    is ? 'the user suspends the Job' : 'the user resumes the Job',
    jobs,
    namespaceOf(name),
    name,
    ({ spec }) => (spec && (spec.suspend ?? false) !== is ? { spec: { ...spec, suspend: is } } : undefined),
  );

/**
 * Returns a workload: Jobs with a deadline, one of which is suspended and resumed. The suspension deletes its
 * pod; the next pod succeeds.
 */
export const suspendedJobScenario = scenarioWith(
  [(name) => suspends(name, true), (name) => suspends(name, false)],
  [],
  { activeDeadlineSeconds: 3_600 },
  [1],
);
