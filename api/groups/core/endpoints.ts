import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { Endpoints, EndpointSubset } from '../../types/core-v1-service.ts';
import { validateEndpoints } from '../../validation/network/endpoints.ts';

/** Maximum number of addresses that a row lists; further addresses are only counted. */
const SHOWN = 3;

/** Strategy of Endpoints. */
export const endpointsStrategy: Strategy<Endpoints> = {
  defaults(endpoints) {
    for (const { ports = [] } of endpoints.subsets ?? []) for (const port of ports) port.protocol ||= 'TCP';
  },
  validate: (next) => validateEndpoints(next),
};

const joined = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const hostsOf = ({ addresses = [], ports = [] }: DeepReadonly<EndpointSubset>): readonly string[] =>
  ports.length === 0
    ? addresses.map(({ ip }) => ip)
    : ports.flatMap(({ port }) => addresses.map(({ ip }) => joined(ip, port)));

function endpointsText({ subsets = [] }: DeepReadonly<Endpoints>): string {
  if (subsets.length === 0) return NONE;
  const hosts = subsets.flatMap(hostsOf);
  const text = hosts.slice(0, SHOWN).join(',');
  return hosts.length > SHOWN ? `${text} + ${hosts.length - SHOWN} more...` : text;
}

/** Table columns of Endpoints. */
export const endpointsColumns: readonly Column<Endpoints>[] = [
  nameColumn,
  column<Endpoints>(
    'Endpoints',
    endpointsText,
    'The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.',
  ),
  ageColumn,
];
