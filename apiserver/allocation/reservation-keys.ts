import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import { parseObject } from '../registry/resource.ts';
import type { Stored } from '../storage/storage.ts';
import { addressesOf, portsOf } from './service-allocation.ts';

/**
 * Prefix of all reservations, which no kind uses for its objects (upstream: `/ranges/serviceips`,
 * `/ranges/servicenodeports`).
 */
export const RESERVATIONS = '/registry/ranges/';
export const ADDRESSES = `${RESERVATIONS}serviceips/`;
export const PORTS = `${RESERVATIONS}servicenodeports/`;

/** Returns the reservation keys of a Service: one for each address and each node port. */
export const reservationsOf = (service: DeepReadonly<Service> | undefined): readonly string[] => [
  ...new Set([
    ...addressesOf(service?.spec).map((address) => ADDRESSES + address),
    ...portsOf(service?.spec).map((port) => PORTS + String(port)),
  ]),
];

/**
 * Returns the value of a reservation. It has the form of an object because stores accept only objects.
 * `holder` is the key of the Service below its prefix.
 */
export const reservedBy = (holder: string): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, holder }));

/** Returns the key of the Service that has a reservation, below its prefix. */
export const holderOf = ({ value }: Stored): string | undefined =>
  (parseObject(value) as ApiObject & { readonly holder?: string }).holder;
