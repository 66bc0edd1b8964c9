import { pods, resourceQuotas } from '../../../api/groups/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { resourceQuotaInvariants } from './invariants.ts';
import { creates, deletes, inGroups, planted, sharedOut, updates } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import { uidOf } from '../../explore/model-store.ts';
import type { Action, Scenario } from '../../explore/scenario.ts';

const NAMES = ['a', 'b', 'c'];
const namespaceOf = (name: string): string => `team-${name}`;

const podOf = (name: string, pod: string): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: pod, namespace: namespaceOf(name) },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Running' },
});

const quotaOf = (name: string): ResourceQuota => ({
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name, namespace: namespaceOf(name) },
  spec: { hard: { pods: '5' } },
  status: {},
});

/** Returns the actions of the server's admission: it charges the quota, then stores the pod. */
const charged = (name: string): readonly Action[] => {
  const charge = `the server charges ${name} for a pod`;
  return [
    updates(
      charge,
      resourceQuotas,
      namespaceOf(name),
      name,
      ({ status }) => {
        const used = status?.used?.['pods'];
        return used === undefined
          ? undefined
          : { status: { ...status, used: { ...status?.used, pods: String(Number(used) + 1) } } };
      },
      { subresource: 'status' },
    ),
    {
      ...creates('the pod is stored', pods, podOf(name, 'new')),
      after: charge,
      prompt: true,
      progress: true,
    },
  ];
};

/**
 * Returns a workload: pod quotas, one of which is charged for a new pod. Another one gets a higher limit and
 * loses a pod.
 */
export function quotaScenario(_: Vocabulary, objects: number): Scenario {
  const changes = [
    charged,
    (name: string) => [
      updates('the user raises the limit', resourceQuotas, namespaceOf(name), name, () => ({
        spec: { hard: { pods: '9' } },
      })),
      deletes('the pod is deleted', pods, namespaceOf(name), 'old'),
    ],
  ];
  return {
    controller: 'resourcequota',
    instants: [NOON, NOON + 6 * MINUTE],
    patient: true,
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [planted(resourceQuotas, quotaOf(name)), planted(pods, podOf(name, 'old'))],
        actions: sharedOut(changes, objects, at).flatMap((change) => change(name)),
        // The controller watches the counted kinds only after its first count.
        prelude: {
          effect: 'count',
          input: { key: `${namespaceOf(name)}/${name}`, uid: uidOf(resourceOf(resourceQuotas), name, 1) },
        },
      })),
    ),
    invariants: resourceQuotaInvariants(),
  };
}

/** Returns a workload: pod quotas, one of which is deleted. */
export function deletedQuotaScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const scenario = quotaScenario(vocabulary, objects);
  return {
    ...scenario,
    ...inGroups(
      (scenario.groups ?? [scenario]).map((group, at) => ({
        ...group,
        actions:
          at === 0 ? [deletes('the user deletes the quota', resourceQuotas, namespaceOf('a'), 'a')] : [],
      })),
    ),
  };
}
