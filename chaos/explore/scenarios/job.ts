import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { jobNames } from '../../../controllers/job/names.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { jobInvariants } from '../../invariants/job.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../actions.ts';
import { MINUTE, NOON } from '../instants.ts';
import { uidOf } from '../model-store.ts';
import type { Action, Scenario } from '../world.ts';

/** Each Job has a namespace of its own, so that nobody who looks at one meets the other. */
const namespaceOf = (job: string): string => `team-${job}`;

/** A pod comes to its end, as its node says. Its name is the one that the model's server makes. */
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

/** As a server stores it: with the labels of its pods for its own. */
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

/** The Map that says whether the server keeps a field of a status: one Job tells it of all. */
const KEEPS = 3;

/** Jobs of one pod, which succeeds, or only the nth that is made does; what else happens to them, each thing happens to one. */
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

/** A pod fails; the user deletes a Job. */
export const jobScenario = scenarioWith([
  (name) => ends(name, 0, 'Failed'),
  (name) =>
    deletes('the user deletes the Job', jobs, namespaceOf(name), name, { propagationPolicy: 'Background' }),
]);

/** The user deletes a pod of a Job, which makes another. */
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

/** One of a Job, made just now. */
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

/** A pod that nobody controls, with the labels of the Job's: it is adopted, loses the labels and is released. */
export const strayPodScenario = scenarioWith(
  [
    (name) =>
      updates(
        'the user takes the label from the stray pod',
        pods,
        namespaceOf(name),
        'stray',
        ({ metadata }) => (metadata?.labels ? { metadata: { ...metadata, labels: {} } } : undefined),
      ),
  ],
  [strayPod],
);

/** A pod to be adopted and one to be released, at the same time. */
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

/** Jobs that were begun before, each with what is left of it; nobody changes anything. */
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

/** Jobs that are resumed while failures of their pods put the next one off. */
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

/** Jobs whose deadline has passed while their pod runs. */
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
    is ? 'the user suspends the Job' : 'the user lets the Job go on',
    jobs,
    namespaceOf(name),
    name,
    ({ spec }) => (spec && (spec.suspend ?? false) !== is ? { spec: { ...spec, suspend: is } } : undefined),
  );

/** Jobs with a deadline; the user suspends one, which removes its pod, and lets it go on. The pod that it makes then succeeds. */
export const suspendedJobScenario = scenarioWith(
  [(name) => suspends(name, true), (name) => suspends(name, false)],
  [],
  { activeDeadlineSeconds: 3_600 },
  [1],
);
