import { networkInterfaces } from 'node:os';
import type { AddressRange } from '../../apiserver/allocation/index.ts';
import { isReachable } from '../../apiserver/bootstrap/index.ts';
import { UsageError } from '../flags/flags.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface AdvertisedFlags {
  readonly 'advertise-address': string;
  readonly 'service-cluster-ip-range': readonly AddressRange[];
}

/**
 * Returns the address at which other machines reach the server, or undefined if there is none. The address is
 * evaluated on each call. The order is that of release 1.24:
 * - `advertised`, if it is set;
 * - the listening address, if other machines can reach it;
 * - the first address in `hosts`, which lists the best first.
 *
 * Throws `UsageError` if other machines cannot reach `advertised`.
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
 * Returns the hosts of the serving certificate in addition to loopback and service names:
 *
 * - the listening address;
 * - the advertised address;
 * - the address of the API service, which is the first of each service range.
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
 * Returns the addresses at which this server is reached on a port: the listening address, the advertised
 * address and the address of the API service. A server that listens on all addresses is reached at all
 * addresses of the machine. Returns an empty list for a port of another server.
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

/** Port of the API service, declared in `root-objects.ts`. */
const SERVICE_PORT = 443;

/** Returns the external addresses of this machine, IPv4 addresses first. */
function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [...all.filter(({ family }) => family === 'IPv4'), ...all.filter(({ family }) => family === 'IPv6')]
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
}
