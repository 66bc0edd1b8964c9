import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import { quotaOf } from './quota-store.fixture.ts';
import { asking, containerOf, podOf, start } from './resource-quota.fixture.ts';

describe('ResourceQuota', () => {
  it.each<[string, readonly ResourceQuota[], ApiObject, string]>([
    [
      'an object beyond the limit',
      [quotaOf({ pods: '2' }, { pods: '2' })],
      podOf(),
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'a request with exactly the exceeded resources in the message',
      [
        quotaOf(
          { pods: '2', 'requests.cpu': '1', 'requests.memory': '1Gi' },
          { pods: '1', 'requests.cpu': '900m', 'requests.memory': '1Gi' },
        ),
      ],
      asking({ cpu: '200m', memory: '1Mi' }),
      'exceeded quota: q, requested: requests.cpu=200m,requests.memory=1Mi, used: requests.cpu=900m,requests.memory=1Gi, limited: requests.cpu=1,requests.memory=1Gi',
    ],
    [
      'containers without values for limited resources',
      [
        quotaOf(
          { 'limits.cpu': '2', 'requests.memory': '1Gi', pods: '3' },
          { 'limits.cpu': '0', 'requests.memory': '0', pods: '0' },
        ),
      ],
      podOf({
        containers: [containerOf({ memory: '1Mi' }), containerOf({}, { cpu: '1' }, 'b')],
        initContainers: [containerOf({}, {}, 'a')],
      }),
      'failed quota: q: must specify limits.cpu for: a,c; requests.memory for: a,b',
    ],
    [
      'a request under a quota without status',
      [quotaOf({ pods: '2', 'count/pods': '3' }, { pods: '0' })],
      podOf(),
      'status unknown for quota: q, resources: count/pods,pods',
    ],
    [
      'a request with negative usage',
      [quotaOf({ 'requests.cpu': '2' }, { 'requests.cpu': '0' })],
      asking({ cpu: '-1' }),
      'quota usage is negative for resource(s): cpu,requests.cpu',
    ],
    [
      'a request that fits only one of two quotas',
      [quotaOf({ pods: '5' }, { pods: '0' }, {}, 'a'), quotaOf({ pods: '1' }, { pods: '1' }, {}, 'b')],
      podOf(),
      'exceeded quota: b, requested: pods=1, used: pods=1, limited: pods=1',
    ],
  ])('rejects %s', async (_what, quotas, object, message) => {
    const { create, get } = start(quotas);
    await expect(create(object)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${message}`,
    });
    for (const quota of quotas) expect(get(quota.metadata?.name)?.status).toEqual(quota.status);
  });

  it('admits a request that uses no exhausted resource', async () => {
    const { create, used } = start([
      quotaOf({ pods: '3', 'requests.storage': '1' }, { pods: '0', 'requests.storage': '5' }),
    ]);
    await create();
    expect(used()).toEqual({ pods: '1', 'requests.storage': '5' });
  });

  it('admits a request while a quota without status does not limit its resources', async () => {
    const { create } = start([{ metadata: { name: 'q', namespace: 'ns' }, spec: { hard: { pods: '0' } } }]);
    await create();
  });
});

describe('limited resources of the configuration', () => {
  const configuration = (limited: unknown) => ({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'ResourceQuotaConfiguration',
    limitedResources: [limited],
  });
  const requests = configuration({ resource: 'pods', matchContains: ['requests.'] });
  const classes = configuration({
    resource: 'pods',
    matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['vip'] }],
  });

  it('are rejected without a quota for them, even in namespaces without quotas', async () => {
    const { create, plugin } = start([], requests);
    expect(plugin.isIdle?.()).toBe(false);
    await create();
    await expect(create(asking({ cpu: '1', memory: '1' }))).rejects.toMatchObject({
      message: 'pods "web" is forbidden: insufficient quota to consume: requests.cpu,requests.memory',
    });
  });

  it('are admitted if a quota limits them', async () => {
    const { create, used } = start([quotaOf({ 'requests.cpu': '5' }, { 'requests.cpu': '0' })], requests);
    await create(asking({ cpu: '1' }));
    expect(used()).toEqual({ 'requests.cpu': '1' });
  });

  it('require a quota with the scope of a limited priority class', async () => {
    const vip = podOf({ priorityClassName: 'vip' });
    await expect(start([], classes).create(vip)).rejects.toMatchObject({
      code: 500,
      message: 'insufficient quota to match these scopes: [{PriorityClass In [vip]}]',
    });
    const spec: ResourceQuota['spec'] = {
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['vip'] }] },
    };
    await start([quotaOf({ pods: '5' }, { pods: '0' }, spec)], classes).create(vip);
    await start([], classes).create();
  });

  it.each<[string, unknown, string]>([
    [
      'another kind',
      { apiVersion: 'v1', kind: 'Pod' },
      'received "Pod" of "v1": expected ResourceQuotaConfiguration of apiserver.config.k8s.io/v1',
    ],
    ['no object', 'x', 'the configuration must be an object'],
    ['an unknown field', { ...requests, limited: [] }, 'the configuration has an unknown field "limited"'],
    ['no resource', configuration({}), 'limitedResources[0].resource: Required value'],
    [
      'an unknown scope',
      configuration({ resource: 'pods', matchScopes: [{ scopeName: 'All', operator: 'In' }] }),
      'limitedResources[0].matchScopes[0].scopeName is "All": expected one of BestEffort',
    ],
  ])('are rejected in a configuration with %s', (_what, given, message) => {
    expect(() => start([], given)).toThrow(message);
  });
});
