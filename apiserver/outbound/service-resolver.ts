import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Endpoints, Service, ServicePort } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { urlHost } from '../../base/http/index.ts';

/** Current address of a Service, and the host name that its certificate must have. */
export interface ResolvedService {
  /** Origin such as `https://HOST:PORT`. */
  readonly origin: string;
  /** Host name `NAME.NAMESPACE.svc`. */
  readonly serverName: string;
}

/** Reason why a Service has no address; upstream's message. */
export interface UnresolvedService {
  readonly rejection: string;
}

/**
 * Function that returns an address of a Service: a ready endpoint chosen at random, otherwise the cluster IP,
 * or the external name. The server therefore works without a service proxy on its node.
 */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => ResolvedService | UnresolvedService;

/** Components of `createServiceResolver`. */
export interface ServiceResolverOptions {
  readonly services: Pick<ObjectReader<Service>, 'get'>;
  readonly endpoints: Pick<ObjectReader<Endpoints>, 'get'>;
  readonly random: Random;
}

/** Creates a resolver that reads Services and Endpoints from the cache. */
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
 * Returns the ready addresses of a Service port. In Endpoints, a port has the name of the Service port, and
 * the target port number.
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
