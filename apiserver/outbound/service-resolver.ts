import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Endpoints, Service, ServicePort } from '../../api/types/core-v1-service.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { urlHost } from '../../base/http/index.ts';

/** Where a service is reached now, and the name its certificate is to bear. */
export interface ResolvedService {
  /** `https://host:port`. */
  readonly origin: string;
  /** `name.namespace.svc`. */
  readonly serverName: string;
}

/** Why a service cannot be reached, in upstream's words. */
export interface UnresolvedService {
  readonly refusal: string;
}

/**
 * Finds one address of a service: a ready endpoint, drawn anew each time, else its cluster address, or where its external
 * name points. The server needs no proxy of its node for that.
 */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => ResolvedService | UnresolvedService;

export interface ServiceResolverOptions {
  readonly services: Pick<ObjectReader<Service>, 'get'>;
  readonly endpoints: Pick<ObjectReader<Endpoints>, 'get'>;
  readonly random: Random;
}

export function createServiceResolver({
  services,
  endpoints,
  random,
}: ServiceResolverOptions): ServiceResolver {
  return (namespace, name, port) => {
    const service = services.get(namespace, name);
    if (service === undefined) return { refusal: `service ${JSON.stringify(name)} not found` };
    const at = (host: string, hostPort: number): ResolvedService => ({
      origin: `https://${urlHost(host)}:${hostPort}`,
      serverName: `${name}.${namespace}.svc`,
    });
    const { type, externalName = '', clusterIP = '', ports = [] } = service.spec ?? {};
    if (type === 'ExternalName') return at(externalName, port);
    const servicePort = ports.find((each) => each.port === port);
    if (servicePort === undefined)
      return { refusal: `no service port ${port} found for service ${JSON.stringify(name)}` };
    const known = endpoints.get(namespace, name);
    const ready = known === undefined ? [] : readyAddresses(known, servicePort);
    const chosen = ready[random.int(Math.max(ready.length, 1))];
    if (chosen !== undefined) return at(chosen.host, chosen.port);
    if (known === undefined && clusterIP !== '' && clusterIP !== 'None') return at(clusterIP, port);
    return { refusal: `no endpoints available for service ${JSON.stringify(name)}` };
  };
}

/** Endpoints bear the name of the service's port, and the number it stands for behind each address. */
export const readyAddresses = (
  { subsets = [] }: DeepReadonly<Endpoints>,
  { name = '' }: Pick<DeepReadonly<ServicePort>, 'name'>,
): { readonly host: string; readonly port: number }[] =>
  subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((each) => (each.name ?? '') === name)
      .flatMap(({ port }) => addresses.map(({ ip }) => ({ host: ip, port }))),
  );
