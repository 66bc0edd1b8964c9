import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { RuntimeClass } from '../../api/types/node-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { admit } from './request.fixture.ts';
import { createRuntimeClass } from './runtime-class.ts';

const plain: RuntimeClass = { metadata: { name: 'plain' }, handler: 'h' };
const heavy: RuntimeClass = {
  ...plain,
  metadata: { name: 'heavy' },
  overhead: { podFixed: { cpu: '100m' } },
};
const placed: RuntimeClass = {
  ...plain,
  metadata: { name: 'placed' },
  scheduling: {
    nodeSelector: { vm: 'yes' },
    tolerations: [{ key: 'vm', operator: 'Exists' }],
  },
};
const plugin = createRuntimeClass({
  runtimeClasses: fixtureReader([plain, heavy], [placed]),
  vocabulary: kubernetesVocabulary,
});
const run = async (spec: Partial<PodSpec>) => {
  const object: Pod = { metadata: { name: 'web' }, spec: { containers: [], ...spec } };
  return (await admit(plugin, { object })).spec;
};

describe('RuntimeClass', () => {
  it('sets the overhead of the class on a pod', async () => {
    expect(await run({ runtimeClassName: 'heavy' })).toMatchObject({ overhead: { cpu: '100m' } });
    expect(await run({ runtimeClassName: 'heavy', overhead: { cpu: '0.1' } })).toBeDefined();
  });

  it('sets the scheduling of the class on a pod, even if the cache has not received the class yet', async () => {
    const tolerations: PodSpec['tolerations'] = [{ key: 'own', operator: 'Exists' }];
    expect(
      await run({ runtimeClassName: 'placed', nodeSelector: { disk: 'ssd', vm: 'yes' }, tolerations }),
    ).toMatchObject({
      nodeSelector: { disk: 'ssd', vm: 'yes' },
      tolerations: [...tolerations, { key: 'vm', operator: 'Exists' }],
    });
  });

  it('keeps pods without a class, or with an empty one, unchanged', async () => {
    expect(await run({})).toEqual({ containers: [] });
    expect(await run({ runtimeClassName: 'plain' })).toEqual({ containers: [], runtimeClassName: 'plain' });
  });

  it.each<[string, Partial<PodSpec>, string]>([
    ['an unknown class', { runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
    [
      'another overhead',
      { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      'an overhead without a class',
      { overhead: { cpu: '1' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'a conflicting node selector',
      { runtimeClassName: 'placed', nodeSelector: { vm: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    ],
  ])('rejects a pod with %s', async (_what, spec, message) => {
    await expect(run(spec)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${message}`,
    });
  });
});
