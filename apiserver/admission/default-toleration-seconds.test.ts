import { describe, expect, it } from 'vitest';
import type { Pod, Toleration } from '../../api/types/core-v1-pod.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { admit } from './request.fixture.ts';

const run = async (tolerations?: Toleration[]): Promise<readonly Toleration[]> => {
  const spec = { containers: [], ...(tolerations === undefined ? {} : { tolerations }) };
  const plugin = createDefaultTolerationSeconds({ vocabulary: orchVocabulary, unreachableSeconds: 60 });
  return (await admit<Pod>(plugin, { object: { spec } })).spec?.tolerations ?? [];
};
const tolerates = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});

describe('DefaultTolerationSeconds', () => {
  it('limits how long a pod stays on a failed node', async () => {
    expect(await run()).toEqual([
      tolerates('node.orch.io/not-ready', 300),
      tolerates('node.orch.io/unreachable', 60),
    ]);
  });

  it('adds missing tolerations on update, and ignores subresources', async () => {
    const plugin = createDefaultTolerationSeconds({ vocabulary: orchVocabulary });
    const previous: Pod = { spec: { containers: [] } };
    const updated = (subresource: string): Promise<Pod> =>
      admit<Pod>(plugin, {
        operation: 'UPDATE',
        subresource,
        previous,
        object: { spec: { containers: [] } },
      });
    expect((await updated('')).spec?.tolerations).toHaveLength(2);
    expect((await updated('status')).spec?.tolerations).toBeUndefined();
  });

  it('keeps tolerations that a pod sets for one key or for all keys', async () => {
    const own = tolerates('node.orch.io/not-ready', 5);
    expect(await run([own])).toEqual([own, tolerates('node.orch.io/unreachable', 60)]);
    expect(await run([{ operator: 'Exists' }])).toEqual([{ operator: 'Exists' }]);
    const schedule: Toleration = { key: 'node.orch.io/not-ready', effect: 'NoSchedule' };
    expect(await run([schedule])).toHaveLength(3);
  });
});
