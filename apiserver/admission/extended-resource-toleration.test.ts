import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { Pod, PodSpec, Toleration } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createExtendedResourceToleration } from './extended-resource-toleration.ts';
import { admit } from './request.fixture.ts';

const wants = (...names: string[]): Container => ({
  name: 'c',
  resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
});
const tolerates = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' });
const run = async (spec: PodSpec): Promise<readonly Toleration[] | undefined> =>
  (await admit<Pod>(createExtendedResourceToleration(v), { object: { metadata: { name: 'web' }, spec } }))
    .spec?.tolerations;

describe('ExtendedResourceToleration', () => {
  it.each<[string, string[], Toleration[] | undefined]>([
    ['a device', ['example.com/gpu'], [tolerates('example.com/gpu')]],
    ['two devices, sorted', ['z.com/d', 'a.com/d'], [tolerates('a.com/d'), tolerates('z.com/d')]],
    ['native resources', ['cpu', 'memory', 'hugepages-2Mi'], undefined],
    ['resources of the product’s domain', ['kubernetes.io/batteries', 'sub.kubernetes.io/x'], undefined],
    ['names of quota resources', ['requests.example.com/gpu'], undefined],
    ['invalid resource names', ['example.com/a/b', `example.com/${'x'.repeat(64)}`], undefined],
  ])("adds tolerations of the nodes' taints for %s", async (_what, names, expected) => {
    expect(await run({ containers: [wants(...names)] })).toEqual(expected);
  });

  it('applies to init containers, and adds no toleration twice', async () => {
    const spec = { containers: [wants('a.com/d')], initContainers: [wants('a.com/d', 'b.com/d')] };
    expect(await run(spec)).toEqual([tolerates('a.com/d'), tolerates('b.com/d')]);
    expect(await run({ containers: [wants('a.com/d')], tolerations: [tolerates('a.com/d')] })).toEqual([
      tolerates('a.com/d'),
    ]);
  });

  it('keeps other tolerations of a pod, even with the same key', async () => {
    const own: Toleration = { key: 'a.com/d', operator: 'Exists', effect: 'NoExecute' };
    expect(await run({ containers: [wants('a.com/d')], tolerations: [own] })).toEqual([
      own,
      tolerates('a.com/d'),
    ]);
  });
});
