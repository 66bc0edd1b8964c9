import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { jobInvariants } from '../../invariants/job.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../actions.ts';
import { MINUTE, NOON } from '../instants.ts';
import type { Action, Scenario } from '../world.ts';

const namespace = 'team';

/** A pod comes to its end, as its node says. Its name is the one that the model's server makes. */
const ends = (name: string, phase: 'Succeeded' | 'Failed'): Action =>
  updates(
    `pod ${name} has ${phase.toLowerCase()}`,
    pods,
    namespace,
    name,
    ({ status, metadata }) =>
      status?.phase === 'Succeeded' || status?.phase === 'Failed' || metadata?.deletionTimestamp
        ? undefined
        : { status: { ...status, phase } },
    { subresource: 'status', ...(phase === 'Succeeded' ? { progress: true } : {}) },
  );

/** Jobs of one pod, which succeeds. One's may fail, or the user deletes it; the user deletes one Job. */
export function jobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const job = (name: string): Job => {
    const labels = { 'job-name': name };
    return {
      kind: 'Job',
      apiVersion: vocabulary.apiVersion('batch', 'v1'),
      metadata: { name, namespace, creationTimestamp: toTime(NOON) },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
        },
      },
      status: {},
    };
  };
  const podsOf = (name: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, nth) => `${name}-${nth}`);
  const changes = [
    (name: string) => ends(`${name}-0`, 'Failed'),
    (name: string) =>
      deletes('the user deletes the Job', jobs, namespace, name, { propagationPolicy: 'Background' }),
    (name: string) => deletes(`the user deletes pod ${name}-0`, pods, namespace, `${name}-0`),
  ];
  return {
    controller: 'job',
    instants: [NOON, NOON + MINUTE],
    patient: true,
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name, at) => ({
        objects: [planted(jobs, job(name))],
        actions: [
          ...podsOf(name, 2).map((pod) => ends(pod, 'Succeeded')),
          ...sharedOut(changes, objects, at).map((change) => change(name)),
        ],
      })),
    ),
    invariants: jobInvariants(vocabulary),
  };
}
