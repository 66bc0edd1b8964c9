import type { DeepReadonly } from '../../api/kinds/index.ts';
import { cloneJson } from '../../api/schema/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/index.ts';
import { equalStored } from '../registry/write/serialisation.ts';
import type { AdmissionPlugin } from '../request.ts';
import type { Reservations } from './reservations.ts';
import { type ServiceRanges, allocateService } from './service-allocation.ts';

/**
 * Creates the plugin that assigns free addresses and ports to Services. The store reserves them in the write
 * of the Service. If another server has reserved one of them meanwhile, that write fails, and the registry
 * allocates again.
 */
export function createServiceAllocator(options: {
  readonly reservations: Pick<Reservations, 'taken'>;
  readonly ranges: ServiceRanges;
  readonly random: Random;
}): AdmissionPlugin {
  const { reservations, ranges, random } = options;
  return {
    name: 'ServiceAllocator',
    operations: ['CREATE', 'UPDATE'],
    concerns: ({ group, plural }) => group === '' && plural === 'services',
    allocate({ kind, object, previous, subresource }) {
      if (kind.group !== '' || kind.plural !== 'services' || subresource !== '' || !object) return undefined;
      const service = object as Service;
      const before = previous as DeepReadonly<Service> | undefined;
      if (before && equalStored(service.spec, before.spec)) return undefined;
      const requested = cloneJson(service.spec);
      return reservations.taken().then((taken) => {
        allocateService(service, before, ranges, taken, random);
        return () => {
          if (requested) service.spec = requested;
        };
      });
    },
  };
}
