import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/random.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { type ServiceRanges, addressesOf, allocateService, portsOf } from './service-allocation.ts';

/**
 * Gives services their addresses and ports. What is taken is what the stored services hold, and what was given out to
 * writes that have not come back from the store yet. The latter only this server knows: of two servers on one store,
 * both could give the same at the same moment.
 */
export function createServiceAllocator(options: {
  readonly services: ObjectReader<Service>;
  readonly ranges: ServiceRanges;
  readonly random: Random;
}): AdmissionPlugin {
  const { services, ranges, random } = options;
  const underWay = createUnderWay();
  services.subscribe((service) => {
    if (service) underWay.arrived(service);
  });

  return {
    name: 'ServiceAllocator',
    operations: ['CREATE', 'UPDATE'],
    concerns: ({ group, plural }) => group === '' && plural === 'services',
    allocate(request) {
      const { kind, object, previous, subresource, dryRun } = request;
      if (kind.group !== '' || kind.plural !== 'services' || subresource !== '' || !object) return undefined;
      const service = object as Service;
      const key = `${request.namespace}/${request.name}`;
      const others = services.list().filter((each) => keyOf(each) !== key);
      const held = underWay.exceptOf(key);
      const taken = {
        addresses: new Set([...others.flatMap(({ spec }) => addressesOf(spec)), ...held.addresses]),
        ports: new Set([...others.flatMap(({ spec }) => portsOf(spec)), ...held.ports]),
      };
      allocateService(service, previous as DeepReadonly<Service> | undefined, ranges, taken, random);
      return dryRun ? undefined : underWay.hold(key, service, previous as DeepReadonly<Service> | undefined);
    },
  };
}

const keyOf = ({ metadata }: DeepReadonly<Service>): string =>
  `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

interface Held {
  readonly key: string;
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** What was given to writes that the cache has not shown yet. */
function createUnderWay(): {
  /** Of what the service did not have before; the answer lets go of it. */
  hold(key: string, service: Service, previous: DeepReadonly<Service> | undefined): (() => void) | undefined;
  arrived(service: DeepReadonly<Service>): void;
  exceptOf(key: string): { readonly addresses: readonly string[]; readonly ports: readonly number[] };
} {
  const all = new Set<Held>();
  return {
    hold(key, service, previous) {
      const before = new Set<string | number>([...addressesOf(previous?.spec), ...portsOf(previous?.spec)]);
      const held = {
        key,
        addresses: addressesOf(service.spec).filter((address) => !before.has(address)),
        ports: portsOf(service.spec).filter((port) => !before.has(port)),
      };
      if (held.addresses.length + held.ports.length === 0) return undefined;
      all.add(held);
      return () => void all.delete(held);
    },
    arrived(service) {
      const key = keyOf(service);
      const stored = new Set<string | number>([...addressesOf(service.spec), ...portsOf(service.spec)]);
      for (const held of all) {
        const isStored = [...held.addresses, ...held.ports].every((each) => stored.has(each));
        if (held.key === key && isStored) all.delete(held);
      }
    },
    exceptOf(key) {
      const others = [...all].filter((held) => held.key !== key);
      return {
        addresses: others.flatMap(({ addresses }) => addresses),
        ports: others.flatMap(({ ports }) => ports),
      };
    },
  };
}
