import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

/**
 * Creates a plugin that rejects new external IP addresses on Services. With such an address, a Service can
 * intercept traffic to a foreign host (CVE-2020-8554).
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
      throw rejection(request, vocabulary, 'Use of external IPs is denied by admission control');
    },
  };
}
