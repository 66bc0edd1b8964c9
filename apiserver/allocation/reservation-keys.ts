import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import { parseObject } from '../registry/resource.ts';
import type { Stored } from '../storage/storage.ts';
import { addressesOf, portsOf } from './service-allocation.ts';

/** Prefix of all reservations, outside the keys of any kind (upstream: `/ranges/serviceips`, `/ranges/servicenodeports`). */
export const RESERVATIONS = '/registry/ranges/';
export const ADDRESSES = `${RESERVATIONS}serviceips/`;
export const PORTS = `${RESERVATIONS}servicenodeports/`;

/** Keys that reserve what a service holds: one for each address and each port on the nodes. */
export const reservationsOf = (service: DeepReadonly<Service> | undefined): readonly string[] => [
  ...new Set([
    ...addressesOf(service?.spec).map((address) => ADDRESSES + address),
    ...portsOf(service?.spec).map((port) => PORTS + String(port)),
  ]),
];

/** The value of a reservation. Stores keep objects only, so it is one; `holder` is the key of the service below its prefix. */
export const reservedBy = (holder: string): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, holder }));

export const holderOf = ({ value }: Stored): string | undefined =>
  (parseObject(value) as ApiObject & { readonly holder?: string }).holder;
