import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1-container.ts';
import { persistentVolumeClaims } from '../../api/groups/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { LimitRangeItem } from '../../api/types/core-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { admit } from './request.fixture.ts';

const container = (
  requests?: Record<string, string>,
  limits?: Record<string, string>,
  name = 'c',
): Container => ({
  name,
  ...(requests || limits
    ? { resources: { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) } }
    : {}),
});
const ranges = (...limits: LimitRangeItem[][]) =>
  createLimitRanger({
    limitRanges: fixtureReader(
      limits.map((each, at) => ({ metadata: { namespace: 'ns', name: `l${at}` }, spec: { limits: each } })),
    ),
    vocabulary: kubernetesVocabulary,
  });
const podOf = (containers: Container[], initContainers: Container[] = []): Pod => ({
  metadata: { name: 'web' },
  spec: { containers, initContainers },
});
const run = (item: LimitRangeItem, containers: Container[], initContainers: Container[] = []): Promise<Pod> =>
  admit(ranges([item]), { object: podOf(containers, initContainers) });
const claimOf = (storage?: string): PersistentVolumeClaim => ({
  metadata: { name: 'data' },
  spec: storage === undefined ? {} : { resources: { requests: { storage }, limits: { storage: '1Pi' } } },
});

describe('LimitRanger', () => {
  it('sets defaults on containers and lists them in an annotation', async () => {
    const item: LimitRangeItem = {
      type: 'Container',
      default: { cpu: '200m', memory: '1Gi' },
      defaultRequest: { cpu: '100m' },
    };
    const pod = await run(item, [container(undefined, { cpu: '1' })], [container(undefined, undefined, 'i')]);
    expect(pod.spec?.containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '100m' },
    });
    expect(pod.metadata?.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container c; memory limit for container c; cpu request for init container i; cpu, memory limit for init container i',
    );
  });

  it.each<[string, LimitRangeItem, Container, string]>([
    [
      'a container without a request under a minimum',
      { type: 'Container', min: { cpu: '100m' } },
      container(),
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      'a request below the minimum',
      { type: 'Container', min: { cpu: '100m' } },
      container({ cpu: '0.05' }),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'a container without a limit under a maximum',
      { type: 'Container', max: { memory: '1Gi' } },
      container(),
      'maximum memory usage per Container is 1Gi.  No limit is specified',
    ],
    [
      'a limit above the maximum',
      { type: 'Container', max: { memory: '1Gi' } },
      container({}, { memory: '1025Mi' }),
      'maximum memory usage per Container is 1Gi, but limit is 1025Mi',
    ],
    [
      'a ratio above the maximum',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      container({ cpu: '1' }, { cpu: '2500m' }),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
    ],
    [
      'a container without a request under a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      container({}, { cpu: '1' }),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
  ])('rejects %s', async (_case, item, one, message) => {
    await expect(run(item, [one])).rejects.toThrow(`pods "web" is forbidden: ${message}`);
  });

  it('applies limit ranges in order, so that earlier ranges, and later items of one range, take precedence', async () => {
    const limit = (cpu: string, memory?: string): LimitRangeItem => ({
      type: 'Container',
      default: { cpu, ...(memory === undefined ? {} : { memory }) },
    });
    const pod = await admit(ranges([limit('1'), limit('2')], [limit('3', '1Gi')], [limit('4')]), {
      object: podOf([container()]),
    });
    expect(pod.spec?.containers[0]?.resources).toEqual({ limits: { cpu: '2', memory: '1Gi' } });
    expect(pod.metadata?.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: memory limit for container c',
    );
  });

  it('keeps the annotation of a pod that needs no defaults', async () => {
    const pod = await run({ type: 'Container', default: { cpu: '1' } }, [container({}, { cpu: '2' })]);
    expect(pod.metadata?.annotations).toBeUndefined();
  });

  it('ignores existing pods, subresources, and objects being deleted', async () => {
    const item: LimitRangeItem = { type: 'Container', max: { cpu: '1' }, default: { cpu: '1' } };
    const object = podOf([container({}, { cpu: '2' }), container()]);
    const before = structuredClone(object);
    const previous = podOf([]);
    expect(await admit(ranges([item]), { operation: 'UPDATE', object, previous })).toEqual(before);
    expect(await admit(ranges([item]), { subresource: 'eviction', object })).toEqual(before);
  });

  const pair = (requests: Record<string, string>, limits: Record<string, string>) =>
    container(requests, limits);

  it.each<[string, LimitRangeItem, Container[], Container[], string | undefined]>([
    [
      'the sum of containers',
      { type: 'Pod', max: { cpu: '1' } },
      [pair({}, { cpu: '500m' }), pair({}, { cpu: '600m' })],
      [],
      'maximum cpu usage per Pod is 1, but limit is 1100m',
    ],
    [
      'the largest init container',
      { type: 'Pod', max: { cpu: '1' } },
      [pair({}, { cpu: '500m' })],
      [pair({}, { cpu: '900m' }), pair({}, { cpu: '2' })],
      'maximum cpu usage per Pod is 1, but limit is 2',
    ],
    [
      'containers as large as allowed',
      { type: 'Pod', max: { cpu: '1' } },
      [pair({}, { cpu: '500m' }), pair({}, { cpu: '0.5' })],
      [pair({}, { cpu: '1' })],
      undefined,
    ],
    [
      'memory, summed in bytes',
      { type: 'Pod', max: { memory: '1Gi' } },
      [pair({}, { memory: '1Gi' }), pair({}, { memory: '1Mi' })],
      [],
      'maximum memory usage per Pod is 1Gi, but limit is 1074790400',
    ],
    [
      'a container without a limit',
      { type: 'Pod', max: { cpu: '1' } },
      [pair({}, { cpu: '500m' }), container()],
      [],
      'maximum cpu usage per Pod is 1.  No limit is specified',
    ],
    [
      'a container without a request',
      { type: 'Pod', min: { cpu: '1' } },
      [pair({ cpu: '5' }, {}), container()],
      [],
      'minimum cpu usage per Pod is 1.  No request is specified',
    ],
    [
      'a sum of requests below the minimum',
      { type: 'Pod', min: { cpu: '1' } },
      [pair({ cpu: '400m' }, {}), pair({ cpu: '500m' }, {})],
      [],
      'minimum cpu usage per Pod is 1, but request is 900m',
    ],
    [
      'the ratio of the sums',
      { type: 'Pod', maxLimitRequestRatio: { cpu: '1500m' } },
      [pair({ cpu: '1' }, { cpu: '1' }), pair({ cpu: '1' }, { cpu: '3' })],
      [],
      'cpu max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000',
    ],
  ])('checks a pod as a whole for %s', async (_what, item, containers, initial, message) => {
    const admitted = run(item, containers, initial);
    await (message === undefined
      ? admitted
      : expect(admitted).rejects.toThrow(`pods "web" is forbidden: ${message}`));
  });

  it.each<[string, LimitRangeItem, Container, string | undefined]>([
    [
      'a limit below the minimum',
      { type: 'Container', min: { cpu: '1' } },
      pair({ cpu: '1' }, { cpu: '900m' }),
      'minimum cpu usage per Container is 1, but limit is 900m',
    ],
    [
      'a request above the maximum',
      { type: 'Container', max: { cpu: '1' } },
      pair({ cpu: '2' }, { cpu: '1' }),
      'maximum cpu usage per Container is 1, but request is 2',
    ],
    [
      'a request of 0 under a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pair({ cpu: '0' }, { cpu: '1' }),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'no limit under a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pair({ cpu: '1' }, {}),
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'exactly the ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2500m' } },
      pair({ cpu: '2' }, { cpu: '5' }),
      undefined,
    ],
    [
      'another device',
      { type: 'Container', max: { 'example.com/gpu': '1' } },
      pair({}, { 'example.com/gpu': '2' }),
      'maximum example.com/gpu usage per Container is 1, but limit is 2',
    ],
    [
      'numbers beyond 64 bits of thousandths',
      { type: 'Container', max: { memory: '8Ei' } },
      pair({}, { memory: '7Ei' }),
      undefined,
    ],
  ])("has upstream's decision on a container with %s", async (_what, item, one, message) => {
    const admitted = run(item, [], [one]);
    await (message === undefined
      ? admitted
      : expect(admitted).rejects.toThrow(`pods "web" is forbidden: ${message}`));
  });

  it('lists all violations of the first violated range, each once', async () => {
    const broken: LimitRangeItem = { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } };
    await expect(
      admit(ranges([{ type: 'Pod' }], [broken], [broken, { type: 'Container', max: { memory: '1' } }]), {
        object: podOf([container(), container()]),
      }),
    ).rejects.toThrow(
      'pods "web" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, maximum cpu usage per Container is 2.  No limit is specified]',
    );
    await expect(run({ type: 'Container', min: { cpu: '1' } }, [container(), container()])).rejects.toThrow(
      'pods "web" is forbidden: minimum cpu usage per Container is 1.  No request is specified',
    );
  });

  it.each<[string, LimitRangeItem, PersistentVolumeClaim, string | undefined]>([
    [
      'the allowed maximum',
      { type: 'PersistentVolumeClaim', max: { storage: '5Gi' } },
      claimOf('5Gi'),
      undefined,
    ],
    [
      'more than the maximum',
      { type: 'PersistentVolumeClaim', max: { storage: '5Gi' } },
      claimOf('6Gi'),
      'maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    ],
    [
      'less than the minimum',
      { type: 'PersistentVolumeClaim', min: { storage: '5Gi' } },
      claimOf('4Gi'),
      'minimum storage usage per PersistentVolumeClaim is 5Gi, but request is 4Gi',
    ],
    [
      'nothing, under a maximum',
      { type: 'PersistentVolumeClaim', max: { storage: '5Gi' } },
      claimOf(),
      'maximum storage usage per PersistentVolumeClaim is 5Gi.  No request is specified',
    ],
    [
      'nothing, under a minimum',
      { type: 'PersistentVolumeClaim', min: { storage: '5Gi' } },
      claimOf(),
      'minimum storage usage per PersistentVolumeClaim is 5Gi.  No request is specified',
    ],
    [
      'more than a limit for containers',
      { type: 'Container', max: { storage: '1' } },
      claimOf('5Gi'),
      undefined,
    ],
    ['more than a limit for pods', { type: 'Pod', max: { storage: '1' } }, claimOf('5Gi'), undefined],
    [
      'more than a ratio, which does not apply to claims',
      { type: 'PersistentVolumeClaim', maxLimitRequestRatio: { storage: '1' } },
      claimOf('5Gi'),
      undefined,
    ],
  ])('checks a claim that requests %s', async (_what, item, object, message) => {
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const admitted = admit(ranges([item]), { operation, kind: persistentVolumeClaims, object });
      await (message === undefined
        ? admitted
        : expect(admitted).rejects.toThrow(`persistentvolumeclaims "data" is forbidden: ${message}`));
    }
  });

  it('admits the deletion of a claim that is too large', async () => {
    const previous = { metadata: { name: 'data', deletionTimestamp: '2022-01-01T00:00:00Z' } };
    const item: LimitRangeItem = { type: 'PersistentVolumeClaim', max: { storage: '5Gi' } };
    const given = { operation: 'UPDATE' as const, kind: persistentVolumeClaims, object: claimOf('6Gi') };
    await expect(admit(ranges([item]), given)).rejects.toThrow('but request is 6Gi');
    await admit(ranges([item]), { ...given, previous });
  });

  it('does not apply items for claims to pods', async () => {
    await run({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, [container()]);
  });
});
