import { networkInterfaces } from 'node:os';
import type { AddressRange } from '../apiserver/allocation/ranges.ts';
import { isReachable } from '../apiserver/bootstrap/api-endpoints.ts';
import { UsageError } from './flags.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface AdvertisedFlags {
  readonly 'advertise-address': string;
  readonly 'service-cluster-ip-range': readonly AddressRange[];
}

/**
 * Where members of the cluster reach the server: at `advertised`, or where it listens if that is an address others reach, or
 * at the machine's own (`hosts`, best first), as release 1.24 has it for servers that listen everywhere or on the loopback
 * interface. Undefined when there is none. Throws `UsageError` for an address to advertise that is none others reach.
 */
export function advertisedAddress(
  advertised: string,
  listening: () => Address,
  hosts: () => readonly string[] = hostAddresses,
): () => Address | undefined {
  if (advertised !== '' && !isReachable(advertised))
    throw new UsageError(
      `--advertise-address must be an address that other machines reach, received ${JSON.stringify(advertised)}`,
    );
  return () => {
    const { host, port } = listening();
    const candidates = advertised === '' ? [host, ...hosts()] : [advertised];
    const reached = candidates.find(isReachable);
    return reached === undefined ? undefined : { host: reached, port };
  };
}

/**
 * What the serving certificate is to name besides the loopback interface and the service: where the server listens, where
 * members of the cluster are told to reach it, and the address of the service, which is the first of each range.
 */
export function servingHosts(
  flags: AdvertisedFlags & { readonly 'bind-address': string },
  hosts: () => readonly string[] = hostAddresses,
): string[] {
  const listening = { host: flags['bind-address'], port: 0 };
  const advertised = advertisedAddress(flags['advertise-address'], () => listening, hosts)();
  return [
    listening.host,
    ...(advertised === undefined ? [] : [advertised.host]),
    ...flags['service-cluster-ip-range'].map((range) => range.at(0)),
  ];
}

/**
 * Returns the addresses at which this server is reached on a port: the one it listens on (all of the machine's where it
 * listens on every one), the one it advertises, and that of the API service. Empty for the ports of others.
 */
export function ownAddresses(
  flags: AdvertisedFlags,
  listening: Address,
  port: number,
  hosts: () => readonly string[] = hostAddresses,
): readonly string[] {
  const services = port === SERVICE_PORT ? flags['service-cluster-ip-range'].map((range) => range.at(0)) : [];
  if (port !== listening.port) return services;
  const { host } = listening;
  const bound = host === '0.0.0.0' || host === '::' ? [host, ...hosts()] : [host];
  const advertised = flags['advertise-address'];
  return [...bound, ...(advertised === '' ? [] : [advertised]), ...services];
}

/** The port of the API service (`root-objects.ts`). */
const SERVICE_PORT = 443;

/** Addresses of this machine, those of version 4 first. */
function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [...all.filter(({ family }) => family === 'IPv4'), ...all.filter(({ family }) => family === 'IPv6')]
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
}
