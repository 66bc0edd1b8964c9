import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import type { Service, ServiceSpec } from '../../types/core-v1-service.ts';

type Spec = DeepReadonly<ServiceSpec> | undefined;

/**
 * Value of `clusterIP` for a Service without an address. Its DNS name resolves to the addresses of its pods.
 */
export const HEADLESS = 'None';

/** True if a Service needs a cluster address. */
export const needsClusterIp = (spec: Spec): boolean => spec?.type !== 'ExternalName';

/** True if the Service forbids node ports for its load balancer. */
const withoutNodePorts = (spec: Spec): boolean => spec?.allocateLoadBalancerNodePorts === false;

/** True if each port of the Service needs a node port. */
export const needsNodePort = (spec: Spec): boolean =>
  spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && !withoutNodePorts(spec));

/** True if the Service needs a node port for health checks by its load balancer. */
export const needsHealthCheckPort = (spec: Spec): boolean =>
  spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

const isExternal = (spec: Spec): boolean => spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';

/** True if the Service is declared to have no cluster address. */
export const isHeadless = (spec: Spec): boolean =>
  spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;

/**
 * Keeps `clusterIP` equal to the first item of `clusterIPs`, because older clients know only `clusterIP`
 * (`normalizeClusterIPs` in Kubernetes 1.24).
 */
export function normaliseClusterIps(next: ServiceSpec, previous: Spec): void {
  const address = next.clusterIP ?? '';
  if (previous === undefined) {
    if (address !== '' && (next.clusterIPs ?? []).length === 0) next.clusterIPs = [address];
    return;
  }
  const before = previous.clusterIP ?? '';
  const sameList = sameValue(next.clusterIPs ?? [], previous.clusterIPs ?? []);
  if (address !== before && sameList) {
    if (address === '') delete next.clusterIPs;
    else next.clusterIPs = [address];
  }
}

/** Restores allocated values that an update omits (`patchAllocatedValues` in Kubernetes 1.24). */
export function keepAllocated(next: ServiceSpec, previous: Spec): void {
  if (previous === undefined) return;
  if (needsClusterIp(previous) && needsClusterIp(next)) {
    if (!next.clusterIP && previous.clusterIP) next.clusterIP = previous.clusterIP;
    if (
      (next.clusterIPs ?? []).length === 0 &&
      previous.clusterIPs &&
      next.clusterIP === previous.clusterIP
    ) {
      next.clusterIPs = [...previous.clusterIPs];
    }
    if ((next.ipFamilies ?? []).length === 0 && previous.ipFamilies)
      next.ipFamilies = [...previous.ipFamilies];
    if (previous.ipFamilyPolicy) next.ipFamilyPolicy ??= previous.ipFamilyPolicy;
  }
  if (needsNodePort(previous) && needsNodePort(next)) keepNodePorts(next, previous);
  if (needsHealthCheckPort(previous) && needsHealthCheckPort(next) && previous.healthCheckNodePort) {
    next.healthCheckNodePort ||= previous.healthCheckNodePort;
  }
}

/** Restores omitted node ports of ports with the same name, unless another port uses the number. */
function keepNodePorts(next: ServiceSpec, previous: DeepReadonly<ServiceSpec>): void {
  const used = new Set((next.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const known = new Map((previous.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of next.ports ?? []) {
    const before = known.get(port.name ?? '') ?? 0;
    if (port.nodePort || before === 0 || used.has(before)) continue;
    port.nodePort = before;
    used.add(before);
  }
}

/**
 * Removes unchanged fields that the previous type of Service needed and the new type does not need
 * (`dropTypeDependentFields` in Kubernetes 1.24).
 */
export function dropOldTypeFields(next: ServiceSpec, previous: Spec): void {
  if (previous === undefined) return;
  const unchanged = (field: keyof ServiceSpec): boolean => sameValue(next[field], previous[field]);
  const leaves = (needs: (spec: Spec) => boolean): boolean => needs(previous) && !needs(next);
  if (leaves(needsClusterIp)) {
    if (unchanged('clusterIP') && unchanged('clusterIPs')) {
      delete next.clusterIP;
      delete next.clusterIPs;
    }
    if (unchanged('ipFamilies')) delete next.ipFamilies;
    if (unchanged('ipFamilyPolicy')) delete next.ipFamilyPolicy;
  }
  if (leaves(needsNodePort) && !addsNodePort(next, previous)) {
    for (const port of next.ports ?? []) delete port.nodePort;
  }
  const dropUnchanged = (
    field:
      'healthCheckNodePort' | 'allocateLoadBalancerNodePorts' | 'loadBalancerClass' | 'externalTrafficPolicy',
  ): void => {
    if (unchanged(field)) delete next[field];
  };
  const isBalanced = (spec: Spec): boolean => spec?.type === 'LoadBalancer';
  if (leaves(needsHealthCheckPort)) dropUnchanged('healthCheckNodePort');
  if (leaves(isBalanced)) {
    dropUnchanged('allocateLoadBalancerNodePorts');
    dropUnchanged('loadBalancerClass');
  }
  if (leaves(isExternal)) dropUnchanged('externalTrafficPolicy');
}

/**
 * Removes the second IP family and address when an update returns to a single stack
 * (`trimFieldsForDualStackDowngrade` in Kubernetes 1.24).
 */
export function trimFamilies(next: ServiceSpec, previous: Spec): void {
  const { ipFamilyPolicy = 'SingleStack' } = previous ?? {};
  if (ipFamilyPolicy === 'SingleStack' || next.ipFamilyPolicy !== 'SingleStack') return;
  next.clusterIPs?.splice(1);
  next.ipFamilies?.splice(1);
}

/** True if a port has a node port that no previous port had. */
function addsNodePort(next: ServiceSpec, previous: DeepReadonly<ServiceSpec>): boolean {
  const known = new Set((previous.ports ?? []).map(({ nodePort }) => nodePort));
  return (next.ports ?? []).some(({ nodePort }) => nodePort && !known.has(nodePort));
}

/** Sets the defaults of a Service, except allocated values, in place. */
export function defaultService(service: Service): void {
  const spec = (service.spec ??= {});
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === 'ClientIP') {
    const client = ((spec.sessionAffinityConfig ??= {}).clientIP ??= {});
    client.timeoutSeconds ??= 10_800;
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
      port.targetPort = port.port;
    }
  }
  if (isExternal(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (spec.type === 'ClusterIP' || isExternal(spec)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}
