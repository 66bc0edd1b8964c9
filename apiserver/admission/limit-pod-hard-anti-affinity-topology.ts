import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

/**
 * Creates a plugin that rejects pods with a required anti-affinity whose topology is larger than a node
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitpodhardantiaffinitytopology).
 */
export function createLimitPodHardAntiAffinityTopology(vocabulary: Vocabulary): AdmissionPlugin {
  const hostname = vocabulary.key('', 'hostname');
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async validate(request) {
      const spec = (request.object as DeepReadonly<Pod> | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const required = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      for (const { topologyKey } of required)
        if (topologyKey !== hostname)
          throw rejection(
            request,
            vocabulary,
            `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${hostname} is allowed`,
          );
    },
  };
}
