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
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PersistentVolumeClaim } from '../../../api/types/core-v1-persistent-volume.ts';
import type { Pod, PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import type { Service } from '../../../api/types/core-v1-service.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { admit } from '../request.fixture.ts';
import { quotaOf, quotaStore } from './quota-store.fixture.ts';
import { createResourceQuota } from './resource-quota.ts';

type Amounts = Record<string, string>;

const kind = (of: unknown): AnyKind => of as AnyKind;
const containerOf = (requests: Amounts = {}, limits: Amounts = {}, name = 'c'): Container => ({
  name,
  resources: { requests, limits },
});
const podOf = (spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'web', namespace: 'ns' },
  spec: { containers: [containerOf()], ...spec },
});
const asking = (requests: Amounts, limits: Amounts = {}): Pod =>
  podOf({ containers: [containerOf(requests, limits)] });
const named: ApiObject = { metadata: { name: 'web', namespace: 'ns' } };
const serviceOf = (spec: NonNullable<Service['spec']>): Service => ({ ...named, spec });
const claimOf = (storage: string, storageClassName?: string): PersistentVolumeClaim => ({
  ...named,
  spec: { resources: { requests: { storage } }, ...(storageClassName && { storageClassName }) },
});

function start(quotas: readonly ResourceQuota[], configuration?: unknown, lag = 0) {
  const store = quotaStore(quotas, lag);
  const plugin = createResourceQuota(
    { ...store, vocabulary: kubernetesVocabulary, clock: createSimulatedClock() },
    configuration,
  );
  return {
    ...store,
    plugin,
    create: (object: ApiObject = podOf(), of: unknown = pods, more = {}) =>
      admit(plugin, { kind: kind(of), object, ...more }),
    update: (object: ApiObject, previous: ApiObject, of: unknown) =>
      admit(plugin, {
        kind: kind(of),
        operation: 'UPDATE',
        object,
        previous: { ...previous, metadata: { ...previous.metadata, resourceVersion: '4' } },
      }),
    used: (name = 'q') => store.get(name)?.status?.used,
  };
}

const full = (hard: Amounts): Amounts => Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));

describe('usage that ResourceQuota charges', () => {
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
      'the largest init container if it needs more, and the overhead',
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
      'a claim, also under its class',
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
    ['nothing for other kinds', { secrets: '9' }, named, configMaps, { secrets: '0' }],
  ])('charges %s', async (_what, hard, object, of, expected) => {
    const { create, used } = start([quotaOf(hard, full(hard))]);
    await create(object, of);
    expect(used()).toEqual(expected);
  });

  it('charges the growth of a service on update, and frees nothing', async () => {
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

  it('charges the growth of a claim on update', async () => {
    const { update, used } = start([quotaOf({ 'requests.storage': '10Gi' }, { 'requests.storage': '1Gi' })]);
    await update(claimOf('3Gi'), claimOf('1Gi'), persistentVolumeClaims);
    expect(used()).toEqual({ 'requests.storage': '3Gi' });
    await expect(update(claimOf('20Gi'), claimOf('3Gi'), persistentVolumeClaims)).rejects.toMatchObject({
      message:
        'persistentvolumeclaims "web" is forbidden: exceeded quota: q, requested: requests.storage=17Gi, used: requests.storage=3Gi, limited: requests.storage=10Gi',
    });
  });

  it('charges nothing for dry runs, subresources and pod updates, but refuses dry runs that exceed', async () => {
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

describe('requests that ResourceQuota refuses', () => {
  it.each<[string, readonly ResourceQuota[], ApiObject, string]>([
    [
      'one object too many',
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
      'containers without the limited values',
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
      'negative usage',
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
  ])('refuses %s', async (_what, quotas, object, message) => {
    const { create, get } = start(quotas);
    await expect(create(object)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${message}`,
    });
    for (const quota of quotas) expect(get(quota.metadata?.name)?.status).toEqual(quota.status);
  });

  it('admits a request that needs none of an exhausted resource', async () => {
    const { create, used } = start([
      quotaOf({ pods: '3', 'requests.storage': '1' }, { pods: '0', 'requests.storage': '5' }),
    ]);
    await create();
    expect(used()).toEqual({ pods: '1', 'requests.storage': '5' });
  });

  it('admits a request while a quota has no status yet', async () => {
    const { create } = start([{ metadata: { name: 'q', namespace: 'ns' }, spec: { hard: { pods: '0' } } }]);
    await create();
  });
});

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

  it('are refused if no quota covers them, in namespaces without quotas too', async () => {
    const { create, plugin } = start([], requests);
    expect(plugin.isIdle?.()).toBe(false);
    await create();
    await expect(create(asking({ cpu: '1', memory: '1' }))).rejects.toMatchObject({
      message: 'pods "web" is forbidden: insufficient quota to consume: requests.cpu,requests.memory',
    });
  });

  it('are admitted if a quota covers them', async () => {
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
  ])('are refused in a configuration with %s', (_what, given, message) => {
    expect(() => start([], given)).toThrow(message);
  });
});

describe('concurrent charges', () => {
  it('cost nothing in a namespace without quotas, and the plugin is idle without any', async () => {
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

  it('ignore a quota deleted in the meantime', async () => {
    const { create, remove } = start([quotaOf({ pods: '1' }, { pods: '0' })]);
    const made = create();
    remove();
    await made;
  });

  it('retry a conflicting write on the newest version, and finally give up', async () => {
    const { create, touch, used } = start([quotaOf({ pods: '9' }, { pods: '0' })]);
    const made = create();
    await touch();
    await made;
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
