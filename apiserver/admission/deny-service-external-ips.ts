import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, refusal } from './refusal.ts';

/**
 * Refuses new external addresses on Services, as they let a Service draw the traffic of a foreign address
 * (CVE-2020-8554).
 */
export function createDenyServiceExternalIps(vocabulary: Vocabulary): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('services'),
    async validate(request) {
      if (!isCore(request, 'services')) return;
      const next = request.object as DeepReadonly<Service> | undefined;
      const previous = request.previous as DeepReadonly<Service> | undefined;
      const kept = new Set(previous?.spec?.externalIPs ?? []);
      if ((next?.spec?.externalIPs ?? []).every((address) => kept.has(address))) return;
      throw refusal(request, vocabulary, 'Use of external IPs is denied by admission control');
    },
  };
}
