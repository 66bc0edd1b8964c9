import { describe, expect, it } from 'vitest';
import { secrets } from '../../../api/groups/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import { quotaOf } from './quota-store.fixture.ts';
import { asking, named, podOf, start } from './resource-quota.fixture.ts';

describe('quota scopes', () => {
  const best = podOf();
  const burstable = asking({ cpu: '1' });
  const ending = podOf({ activeDeadlineSeconds: 5 });
  const vip = podOf({ priorityClassName: 'vip' });
  const elsewhere = podOf({
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaces: ['other'] } },
        ],
      },
    },
  });
  type Scopes = NonNullable<NonNullable<ResourceQuota['spec']>['scopes']>;
  const scopes = (...of: Scopes) => ({ scopes: of });
  const selector = (
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
    ...values: string[]
  ): ResourceQuota['spec'] => ({
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values.length && { values }) }],
    },
  });

  it.each<[string, ResourceQuota['spec'], readonly Pod[], readonly Pod[]]>([
    ['BestEffort', scopes('BestEffort'), [best, ending], [burstable]],
    ['NotBestEffort', scopes('NotBestEffort'), [burstable], [best]],
    ['Terminating', scopes('Terminating'), [ending], [best]],
    ['NotTerminating', scopes('NotTerminating'), [best], [ending]],
    ['two scopes', scopes('BestEffort', 'Terminating'), [ending], [best, burstable]],
    ['CrossNamespacePodAffinity', scopes('CrossNamespacePodAffinity'), [elsewhere], [best]],
    ['PriorityClass In', selector('In', 'vip'), [vip], [best]],
    ['PriorityClass NotIn', selector('NotIn', 'vip'), [best], [vip]],
    ['PriorityClass Exists', selector('Exists'), [vip], [best]],
    ['PriorityClass DoesNotExist', selector('DoesNotExist'), [best], [vip]],
  ])('select pods by %s', async (_what, spec, inside, outside) => {
    for (const [group, expected] of [
      [inside, '1'],
      [outside, '0'],
    ] as const)
      for (const pod of group) {
        const { create, used } = start([quotaOf({ pods: '5' }, { pods: '0' }, spec)]);
        await create(pod);
        expect(used()).toEqual({ pods: expected });
      }
  });

  it('apply to pods only', async () => {
    const { create, used } = start([quotaOf({ secrets: '5' }, { secrets: '0' }, selector('Exists'))]);
    await create(named, secrets);
    expect(used()).toEqual({ secrets: '0' });
  });
});
