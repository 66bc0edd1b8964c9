import {
  HEADLESS,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
} from '../../api/groups/core/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { type FieldError, internalError, invalid, invalidField } from '../../api/status/index.ts';
import type { Service, ServiceSpec } from '../../api/types/core-v1-service.ts';
import { goStrings, invalidLiteral } from '../../api/validation/index.ts';
import type { Random } from '../../base/random/index.ts';
import { type AddressRange, freeOffset } from './ranges.ts';
import { initFamilies } from './service-families.ts';

/** Ranges from which Services are assigned addresses and ports. */
export interface ServiceRanges {
  /**
   * The first range is of the primary family. A second range, of the other family, makes the cluster
   * dual-stack.
   */
  readonly addresses: readonly AddressRange[];
  readonly nodePorts: { readonly first: number; readonly last: number };
}

/** Addresses and ports that Services use. */
export interface Taken {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

type Spec = DeepReadonly<ServiceSpec> | undefined;

/** Returns the addresses of a Service. */
export const addressesOf = (spec: Spec): readonly string[] =>
  needsClusterIp(spec)
    ? (spec?.clusterIPs ?? []).filter((address) => address !== '' && address !== HEADLESS)
    : [];

/** Returns the ports that a Service uses on every node. */
export const portsOf = (spec: Spec): readonly number[] =>
  [...(spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec?.healthCheckNodePort ?? 0].filter(
    (port) => port > 0,
  );

/**
 * Assigns a valid Service what it needs and does not state: families, an address of each family, a node port
 * for each port, and a node port for health checks. Modifies `service`; deterministic except for `random`.
 * Values of `previous` are preserved. Throws a 422 for a value that is taken or out of range, a 500 if none
 * is left. See
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/registry/core/service/storage/alloc.go.
 */
export function allocateService(
  service: Service,
  previous: DeepReadonly<Service> | undefined,
  ranges: ServiceRanges,
  taken: Taken,
  random: Random,
): void {
  const { spec } = service;
  if (spec === undefined) return;
  const reject = (...errors: readonly FieldError[]): never => {
    throw invalid({ group: '', kind: 'Service' }, service.metadata?.name ?? '', errors);
  };
  if (needsClusterIp(spec)) {
    const errors = initFamilies(spec, ranges.addresses);
    if (errors.length > 0) reject(...errors);
    if (!isHeadless(spec)) allocateAddresses(spec, previous?.spec, ranges, taken, random, reject);
  }
  allocatePorts(spec, previous?.spec, ranges, taken, random, reject);
}

type Reject = (...errors: readonly FieldError[]) => never;

function allocateAddresses(
  spec: ServiceSpec,
  previous: Spec,
  ranges: ServiceRanges,
  taken: Taken,
  random: Random,
  reject: Reject,
): void {
  const requested = spec.clusterIPs ?? [];
  const held = new Set(addressesOf(previous));
  const assigned: string[] = (spec.ipFamilies ?? []).map((family, at) => {
    const range = ranges.addresses.find((each) => each.family === family);
    const address = requested[at] ?? '';
    if (range === undefined) throw internalError(`no service IP range is configured for ${family}`);
    if (address === '') return freeAddress(range, taken, random);
    if (held.has(address)) return address;
    const complain = (why: string): never =>
      reject(
        invalidLiteral('spec.clusterIPs', goStrings(requested), `failed to allocate IP ${address}: ${why}`),
      );
    if (!range.has(address)) {
      return complain(`provided IP is not in the valid range. The range of valid IPs is ${range.cidr}`);
    }
    return taken.addresses.has(address) ? complain('provided IP is already allocated') : address;
  });
  spec.clusterIPs = assigned;
  if (assigned[0] !== undefined) spec.clusterIP = assigned[0];
}

function freeAddress(range: AddressRange, taken: Taken, random: Random): string {
  const offset = freeOffset(range.size, random.int(Math.max(range.size, 1)), (at) =>
    taken.addresses.has(range.at(at)),
  );
  if (offset === undefined) throw internalError('failed to allocate a serviceIP: range is full');
  return range.at(offset);
}

function allocatePorts(
  spec: ServiceSpec,
  previous: Spec,
  { nodePorts }: ServiceRanges,
  taken: Taken,
  random: Random,
  reject: Reject,
): void {
  const held = new Set(portsOf(previous));
  const own = new Set<number>();
  const check = (port: number, field: string): void => {
    if (port < nodePorts.first || port > nodePorts.last) {
      const detail = `provided port is not in the valid range. The range of valid ports is ${nodePorts.first}-${nodePorts.last}`;
      reject(invalidField(field, port, detail));
    }
    if (!held.has(port) && taken.ports.has(port)) {
      reject(invalidField(field, port, 'provided port is already allocated'));
    }
    own.add(port);
  };
  const free = (): number => {
    const size = nodePorts.last - nodePorts.first + 1;
    const isTaken = (at: number): boolean => {
      const port = nodePorts.first + at;
      return taken.ports.has(port) || own.has(port) || held.has(port);
    };
    const offset = freeOffset(size, random.int(size), isTaken);
    if (offset === undefined) throw internalError('failed to allocate a nodePort: range is full');
    own.add(nodePorts.first + offset);
    return nodePorts.first + offset;
  };
  if (needsNodePort(spec) || (spec.ports ?? []).some(({ nodePort }) => nodePort)) {
    (spec.ports ?? []).forEach(({ nodePort }, at) => {
      if (nodePort) check(nodePort, `spec.ports[${at}].nodePort`);
    });
    if (needsNodePort(spec)) for (const port of spec.ports ?? []) port.nodePort ||= free();
  }
  if (!needsHealthCheckPort(spec)) return;
  if (spec.healthCheckNodePort) check(spec.healthCheckNodePort, 'spec.healthCheckNodePort');
  else spec.healthCheckNodePort = free();
}
