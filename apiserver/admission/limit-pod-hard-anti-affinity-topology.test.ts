import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createLimitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { admit } from './request.fixture.ts';

const plugin = createLimitPodHardAntiAffinityTopology(kubernetesVocabulary);

const requiring = (...topologyKeys: readonly string[]): Pod => ({
  metadata: { name: 'web' },
  spec: {
    containers: [{ name: 'c' }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: topologyKeys.map((topologyKey) => ({ topologyKey })),
      },
    },
  },
});

describe('LimitPodHardAntiAffinityTopology', () => {
  it('admits a pod with anti-affinity for its own node, or with none', async () => {
    await admit(plugin, { object: requiring('kubernetes.io/hostname') });
    await admit(plugin, { object: requiring() });
  });

  it('admits preferred anti-affinity', async () => {
    const object = requiring();
    const podAffinityTerm = { topologyKey: 'topology.kubernetes.io/zone' };
    await admit(plugin, {
      object: {
        ...object,
        spec: {
          containers: [{ name: 'c' }],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }],
            },
          },
        },
      } satisfies Pod,
    });
  });

  it.each(['CREATE', 'UPDATE'] as const)('rejects any wider topology on %s', async (operation) => {
    const object = requiring('kubernetes.io/hostname', 'topology.kubernetes.io/zone');
    await expect(admit(plugin, { object, operation })).rejects.toMatchObject({
      code: 403,
      message:
        'pods "web" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
    });
  });

  it('ignores subresources', async () => {
    await admit(plugin, { object: requiring('zone'), subresource: 'status', operation: 'UPDATE' });
  });
});
