import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1-container.ts';
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
const run = (item: LimitRangeItem, containers: Container[], initContainers: Container[] = []): Promise<Pod> =>
  admit(
    createLimitRanger({
      limitRanges: fixtureReader([{ metadata: { namespace: 'ns', name: 'l' }, spec: { limits: [item] } }]),
      vocabulary: kubernetesVocabulary,
    }),
    { object: { metadata: { name: 'web' }, spec: { containers, initContainers } } as Pod },
  );

describe('LimitRanger', () => {
  it('fills in what containers do not say and tells so in an annotation', async () => {
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
      'no request',
      { type: 'Container', min: { cpu: '100m' } },
      container(),
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      'a low request',
      { type: 'Container', min: { cpu: '100m' } },
      container({ cpu: '0.05' }),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'no limit',
      { type: 'Container', max: { memory: '1Gi' } },
      container(),
      'maximum memory usage per Container is 1Gi.  No limit is specified',
    ],
    [
      'a high limit',
      { type: 'Container', max: { memory: '1Gi' } },
      container({}, { memory: '1025Mi' }),
      'maximum memory usage per Container is 1Gi, but limit is 1025Mi',
    ],
    [
      'a high ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      container({ cpu: '1' }, { cpu: '2500m' }),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
    ],
    [
      'no request for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      container({}, { cpu: '1' }),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
  ])('refuses %s', async (_case, item, one, message) => {
    await expect(run(item, [one])).rejects.toThrow(`pods "web" is forbidden: ${message}`);
  });

  it("adds up a pod's containers, beside the largest init container", async () => {
    const item: LimitRangeItem = { type: 'Pod', max: { cpu: '1' } };
    const half = container({}, { cpu: '500m' });
    await run(item, [half, half], [container({}, { cpu: '1' })]);
    await expect(run(item, [half, half, half])).rejects.toThrow(
      'maximum cpu usage per Pod is 1, but limit is 1500m',
    );
    await expect(run(item, [half], [container({}, { cpu: '2' })])).rejects.toThrow('but limit is 2');
  });

  it('lists all that is wrong', async () => {
    await expect(
      run({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } }, [container()]),
    ).rejects.toThrow(
      '[minimum cpu usage per Container is 1.  No request is specified, maximum cpu usage per Container is 2.  No limit is specified]',
    );
  });

  it('binds no pod by items for claims', async () => {
    await run({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, [container()]);
  });
});
