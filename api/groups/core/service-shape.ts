import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import type { Service, ServiceSpec } from '../../types/core-v1-service.ts';

type Spec = DeepReadonly<ServiceSpec> | undefined;

/** The address of a service that has none and names its pods instead. */
export const HEADLESS = 'None';

export const needsClusterIp = (spec: Spec): boolean => spec?.type !== 'ExternalName';

/** Whether a load balancer is reached without ports on the nodes. */
const withoutNodePorts = (spec: Spec): boolean => spec?.allocateLoadBalancerNodePorts === false;

/** Whether each port is to be open on every node. */
export const needsNodePort = (spec: Spec): boolean =>
  spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && !withoutNodePorts(spec));

export const needsHealthCheckPort = (spec: Spec): boolean =>
  spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

const isExternal = (spec: Spec): boolean => spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';

export const isHeadless = (spec: Spec): boolean =>
  spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;

/** `clusterIP` is the first of `clusterIPs`; older clients know of the former alone (release 1.24, `normalizeClusterIPs`). */
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

/** An update that leaves out what the server has given keeps it (release 1.24, `patchAllocatedValues`). */
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

/** Ports of the same name keep their number, unless another has taken it. */
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

/** What the old type asked for and the new one does not, unless the client has changed it (`dropTypeDependentFields`). */
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

/** Who goes back to one family of addresses gives up the second without having to name it (`trimFieldsForDualStackDowngrade`). */
export function trimFamilies(next: ServiceSpec, previous: Spec): void {
  const { ipFamilyPolicy = 'SingleStack' } = previous ?? {};
  if (ipFamilyPolicy === 'SingleStack' || next.ipFamilyPolicy !== 'SingleStack') return;
  next.clusterIPs?.splice(1);
  next.ipFamilies?.splice(1);
}

/** Whether a port has a number on the nodes that none had before; ports may come, go and change besides. */
function addsNodePort(next: ServiceSpec, previous: DeepReadonly<ServiceSpec>): boolean {
  const known = new Set((previous.ports ?? []).map(({ nodePort }) => nodePort));
  return (next.ports ?? []).some(({ nodePort }) => nodePort && !known.has(nodePort));
}

/** What release 1.24 fills into a service, but for what it allocates. In place. */
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
