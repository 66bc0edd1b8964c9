import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Endpoints, Service, ServicePort } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { urlHost } from '../../base/http/index.ts';

/** The current address of a service and the name that its certificate must have. */
export interface ResolvedService {
  /** `https://host:port`. */
  readonly origin: string;
  /** `name.namespace.svc`. */
  readonly serverName: string;
}

/** The reason why a service has no address, in upstream's words. */
export interface UnresolvedService {
  readonly rejection: string;
}

/**
 * Returns an address of a service: a ready endpoint chosen at random, else its cluster address, or its external name.
 * The server therefore needs no service proxy on its node.
 */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => ResolvedService | UnresolvedService;

/** Parts of `createServiceResolver`. */
export interface ServiceResolverOptions {
  readonly services: Pick<ObjectReader<Service>, 'get'>;
  readonly endpoints: Pick<ObjectReader<Endpoints>, 'get'>;
  readonly random: Random;
}

/** Creates a resolver that reads services and endpoints from the cache. */
export function createServiceResolver({
  services,
  endpoints,
  random,
}: ServiceResolverOptions): ServiceResolver {
  return (namespace, name, port) => {
    const service = services.get(namespace, name);
    if (service === undefined) return { rejection: `service ${JSON.stringify(name)} not found` };
    const at = (host: string, hostPort: number): ResolvedService => ({
      origin: `https://${urlHost(host)}:${hostPort}`,
      serverName: `${name}.${namespace}.svc`,
    });
    const { type, externalName = '', clusterIP = '', ports = [] } = service.spec ?? {};
    if (type === 'ExternalName') return at(externalName, port);
    const servicePort = ports.find((each) => each.port === port);
    if (servicePort === undefined)
      return { rejection: `no service port ${port} found for service ${JSON.stringify(name)}` };
    const known = endpoints.get(namespace, name);
    const ready = known === undefined ? [] : readyAddresses(known, servicePort);
    const chosen = ready[random.int(Math.max(ready.length, 1))];
    if (chosen !== undefined) return at(chosen.host, chosen.port);
    if (known === undefined && clusterIP !== '' && clusterIP !== 'None') return at(clusterIP, port);
    return { rejection: `no endpoints available for service ${JSON.stringify(name)}` };
  };
}

/**
 * Returns the ready addresses of a service port. Endpoints list their ports by the name of the service port, with the
 * target number of each address.
 */
export const readyAddresses = (
  { subsets = [] }: DeepReadonly<Endpoints>,
  { name = '' }: Pick<DeepReadonly<ServicePort>, 'name'>,
): { readonly host: string; readonly port: number }[] =>
  subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((each) => (each.name ?? '') === name)
      .flatMap(({ port }) => addresses.map(({ ip }) => ({ host: ip, port }))),
  );
