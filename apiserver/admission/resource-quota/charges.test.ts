import { describe, expect, it } from 'vitest';
import {
  configMaps,
  deployments,
  persistentVolumeClaims,
  pods,
  secrets,
  services,
} from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { quotaOf } from './quota-store.fixture.ts';
import {
  type Amounts,
  asking,
  claimOf,
  containerOf,
  full,
  kind,
  named,
  podOf,
  serviceOf,
  start,
} from './resource-quota.fixture.ts';

describe('usage charged by ResourceQuota', () => {
  const storageClass = 'gold.storageclass.storage.k8s.io';
  it.each<[string, Amounts, ApiObject, unknown, Amounts]>([
    ['a pod', { pods: '9', 'count/pods': '9' }, podOf(), pods, { pods: '1', 'count/pods': '1' }],
    [
      'requests and limits of all containers',
      { 'requests.cpu': '9', 'limits.memory': '9Gi', cpu: '9' },
      podOf({
        containers: [
          containerOf({ cpu: '100m' }, { memory: '1Gi' }),
          containerOf({ cpu: '1' }, { memory: '1Gi' }, 'd'),
        ],
      }),
      pods,
      { cpu: '1100m', 'limits.memory': '2Gi', 'requests.cpu': '1100m' },
    ],
    [
      'the largest init container if it needs more than the containers, and the overhead',
      { 'requests.cpu': '9', 'requests.memory': '9Gi', 'requests.ephemeral-storage': '1Gi' },
      podOf({
        containers: [containerOf({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Mi' })],
        initContainers: [containerOf({ cpu: '2', memory: '1Mi' }, {}, 'i')],
        overhead: { cpu: '250m' },
      }),
      pods,
      { 'requests.cpu': '2250m', 'requests.ephemeral-storage': '1Mi', 'requests.memory': '1Gi' },
    ],
    [
      'extended resources and huge pages',
      { 'requests.example.com/gpu': '4', 'hugepages-2Mi': '1Gi', 'requests.hugepages-2Mi': '1Gi' },
      asking({ 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' }),
      pods,
      { 'hugepages-2Mi': '4Mi', 'requests.example.com/gpu': '2', 'requests.hugepages-2Mi': '4Mi' },
    ],
    [
      'a service with its node ports and load balancer',
      { services: '9', 'services.nodeports': '9', 'services.loadbalancers': '9', 'count/services': '9' },
      serviceOf({ type: 'LoadBalancer', ports: [{ port: 80 }, { port: 443 }] }),
      services,
      { 'count/services': '1', services: '1', 'services.loadbalancers': '1', 'services.nodeports': '2' },
    ],
    [
      'only requested node ports if none are allocated',
      { 'services.nodeports': '9' },
      serviceOf({
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 80, nodePort: 30_080 }, { port: 443 }],
      }),
      services,
      { 'services.nodeports': '1' },
    ],
    [
      'a claim in total and under its class',
      {
        persistentvolumeclaims: '9',
        'requests.storage': '9Gi',
        [`${storageClass}/requests.storage`]: '9Gi',
        [`${storageClass}/persistentvolumeclaims`]: '9',
      },
      claimOf('1.5Gi', 'gold'),
      persistentVolumeClaims,
      {
        [`${storageClass}/persistentvolumeclaims`]: '1',
        [`${storageClass}/requests.storage`]: '1536Mi',
        persistentvolumeclaims: '1',
        'requests.storage': '1536Mi',
      },
    ],
    [
      'a claim of another class',
      { [`${storageClass}/persistentvolumeclaims`]: '9' },
      claimOf('1Gi', 'bronze'),
      persistentVolumeClaims,
      { [`${storageClass}/persistentvolumeclaims`]: '0' },
    ],
    [
      'a secret',
      { secrets: '9', 'count/secrets': '9' },
      named,
      secrets,
      { 'count/secrets': '1', secrets: '1' },
    ],
    [
      'any object by its count resource',
      { 'count/deployments.apps': '9' },
      named,
      deployments,
      { 'count/deployments.apps': '1' },
    ],
    ['no object of other kinds', { secrets: '9' }, named, configMaps, { secrets: '0' }],
  ])('counts %s', async (_what, hard, object, of, expected) => {
    const { create, used } = start([quotaOf(hard, full(hard))]);
    await create(object, of);
    expect(used()).toEqual(expected);
  });

  it('increases with the growth of a Service, and never decreases', async () => {
    const hard = { services: '5', 'services.nodeports': '5', 'services.loadbalancers': '5' };
    const { update, used } = start([
      quotaOf(hard, { services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' }),
    ]);
    const internal = serviceOf({ type: 'ClusterIP', ports: [{ port: 80 }] });
    const outside = serviceOf({ type: 'NodePort', ports: [{ port: 80 }] });
    await update(outside, internal, services);
    expect(used()).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '1' });
    await update(internal, outside, services);
    expect(used()).toEqual({ services: '1', 'services.loadbalancers': '0', 'services.nodeports': '1' });
  });

  it('increases with the growth of a claim', async () => {
    const { update, used } = start([quotaOf({ 'requests.storage': '10Gi' }, { 'requests.storage': '1Gi' })]);
    await update(claimOf('3Gi'), claimOf('1Gi'), persistentVolumeClaims);
    expect(used()).toEqual({ 'requests.storage': '3Gi' });
    await expect(update(claimOf('20Gi'), claimOf('3Gi'), persistentVolumeClaims)).rejects.toMatchObject({
      message:
        'persistentvolumeclaims "web" is forbidden: exceeded quota: q, requested: requests.storage=17Gi, used: requests.storage=3Gi, limited: requests.storage=10Gi',
    });
  });

  it('is not changed by dry runs, subresources and pod updates, but dry runs that exceed a quota are rejected', async () => {
    const { create, update, used, plugin } = start([quotaOf({ pods: '1' }, { pods: '0' })]);
    await create(podOf(), pods, { dryRun: true });
    await create(podOf(), pods, { subresource: 'binding' });
    await update(podOf({ priority: 1 }), podOf(), pods);
    expect(used()).toEqual({ pods: '0' });
    await create();
    await expect(create(podOf(), pods, { dryRun: true })).rejects.toMatchObject({ code: 403 });
    expect(plugin.concerns?.(kind(configMaps))).toBe(true);
  });
});

describe('concurrent charges of ResourceQuota', () => {
  it('write nothing in a namespace without quotas, and the plugin is idle without any quota', async () => {
    const { create, plugin, remove } = start([quotaOf({ pods: '0' }, { pods: '0' })]);
    await create(podOf(), pods, { namespace: 'other' });
    expect(plugin.isIdle?.()).toBe(false);
    remove();
    expect(plugin.isIdle?.()).toBe(true);
    await create();
  });

  it('are written together', async () => {
    const { create, used, get } = start([quotaOf({ pods: '100' }, { pods: '0' })]);
    await Promise.all(Array.from({ length: 50 }, () => create()));
    expect(used()).toEqual({ pods: '50' });
    expect(Number(get()?.metadata?.resourceVersion)).toBeLessThan(5);
  });

  it('ignore a quota that was deleted in the meantime', async () => {
    const { create, remove } = start([quotaOf({ pods: '1' }, { pods: '0' })]);
    const created = create();
    remove();
    await created;
  });

  it('retry a conflicting write at the newest version, and finally fail', async () => {
    const { create, touch, used } = start([quotaOf({ pods: '9' }, { pods: '0' })]);
    const created = create();
    await touch();
    await created;
    expect(used()).toEqual({ pods: '1' });
    let going = true;
    const doomed = create().finally(() => (going = false));
    const others = (async () => {
      while (going) await touch();
    })();
    await expect(doomed).rejects.toMatchObject({ code: 409 });
    await others;
    expect(used()).toEqual({ pods: '1' });
  });
});
