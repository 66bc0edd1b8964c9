import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { cloneJson } from '../../api/schema/own.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/random.ts';
import { equalStored } from '../registry/write/serialisation.ts';
import type { AdmissionPlugin } from '../request.ts';
import type { Reservations } from './reservations.ts';
import { type ServiceRanges, allocateService } from './service-allocation.ts';

/**
 * Gives services addresses and ports that are not reserved. The store reserves them with the write of the service, so
 * that a value another server has taken meanwhile fails that write; the registry then allocates again.
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
      const asked = cloneJson(service.spec);
      return reservations.taken().then((taken) => {
        allocateService(service, before, ranges, taken, random);
        return () => {
          if (asked) service.spec = asked;
        };
      });
    },
  };
}
