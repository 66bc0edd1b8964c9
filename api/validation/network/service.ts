import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Service, ServiceSpec } from '../../types/core-v1-service.ts';
import { validateClusterIps, validateClusterIpsUpdate } from './service-addresses.ts';
import { validateNonSpecialAddress } from './addresses.ts';
import { checked, validateLabels } from '../metadata.ts';
import { isCidr, isDns1123Subdomain, isIpAddress, isQualifiedName } from '../names.ts';
import { validatePortUse, validateServicePorts } from './service-ports.ts';
import { validateLoadBalancerStatus } from './load-balancer.ts';

type Spec = DeepReadonly<ServiceSpec> | undefined;
type Frozen = DeepReadonly<Service>;

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
/** Port of the kubelet, which a Service of type LoadBalancer may not expose. */
const AGENT_PORT = 10_250;
const DAY_SECONDS = 86_400;
const BALANCED_ONLY = "may only be used when `type` is 'LoadBalancer'";

/**
 * Checks the rules of `ValidateService` in Kubernetes 1.24. `agent` is the name of the kubelet in messages.
 */
export const validateService = ({ spec }: Frozen, agent: string): FieldErrors => [
  ...validateType(spec, agent),
  ...validateServicePorts(spec, 'spec.ports'),
  ...validateLabels(spec?.selector, 'spec.selector'),
  ...validateAffinity(spec),
  ...validateClusterIps(spec),
  ...(spec?.externalIPs ?? []).flatMap((address, at) => {
    const field = index('spec.externalIPs', at);
    const errors = checked(field, address, isIpAddress);
    return errors.length > 0 ? errors : validateNonSpecialAddress(address, field);
  }),
  ...oneOf('spec.type', spec?.type, TYPES),
  ...validatePortUse(spec, 'spec.ports'),
  ...validateLoadBalancer(spec),
  ...validateTraffic(spec),
];

const oneOf = (field: string, received: string | undefined, accepted: readonly string[]): FieldErrors => {
  if (!received) return [requiredField(field)];
  return accepted.includes(received) ? [] : [notSupportedField(field, received, accepted)];
};

/** Validates the fields that each type of Service requires or forbids. */
function validateType(spec: Spec, agent: string): FieldErrors {
  const errors: FieldError[] = [];
  const headless = spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
  if ((spec?.ports ?? []).length === 0 && !headless && spec?.type !== 'ExternalName') {
    errors.push(requiredField('spec.ports'));
  }
  switch (spec?.type) {
    case 'LoadBalancer':
      (spec.ports ?? []).forEach(({ port }, at) => {
        if (port !== AGENT_PORT) return;
        const detail = `may not expose port ${AGENT_PORT} externally since it is used by ${agent}`;
        errors.push(invalidField(index('spec.ports', at), port, detail));
      });
      if (headless) errors.push(headlessRefused('LoadBalancer'));
      return errors;
    case 'NodePort':
      if (headless) errors.push(headlessRefused('NodePort'));
      return errors;
    case 'ExternalName':
      return [...errors, ...validateExternalName(spec)];
    default:
      return errors;
  }
}

const headlessRefused = (type: string): FieldError =>
  invalidField('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);

function validateExternalName(spec: DeepReadonly<ServiceSpec>): FieldErrors {
  const errors: FieldError[] = [];
  const refused = 'may not be set for ExternalName services';
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbiddenField('spec.clusterIPs', refused));
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbiddenField('spec.ipFamilies', refused));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbiddenField('spec.ipFamilyPolicy', refused));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.push(requiredField('spec.externalName'));
  else errors.push(...checked('spec.externalName', name, isDns1123Subdomain));
  return errors;
}

function validateAffinity(spec: Spec): FieldErrors {
  const errors: FieldError[] = [...oneOf('spec.sessionAffinity', spec?.sessionAffinity, AFFINITIES)];
  const config = spec?.sessionAffinityConfig;
  const path = 'spec.sessionAffinityConfig';
  if (spec?.sessionAffinity === 'None' && config !== undefined) {
    errors.push(forbiddenField(path, 'must not be set when session affinity is None'));
  }
  if (spec?.sessionAffinity !== 'ClientIP') return errors;
  if (config === undefined) {
    return [...errors, requiredField(path, 'when session affinity type is ClientIP')];
  }
  if (config.clientIP === undefined) {
    return [...errors, requiredField(`${path}.clientIP`, 'when session affinity type is ClientIP')];
  }
  const seconds = config.clientIP.timeoutSeconds;
  const field = `${path}.clientIP.timeoutSeconds`;
  if (seconds === undefined) {
    errors.push(requiredField(field, 'when session affinity type is ClientIP'));
  } else if (seconds <= 0 || seconds > DAY_SECONDS) {
    errors.push(invalidField(field, seconds, `must be greater than 0 and less than ${DAY_SECONDS}`));
  }
  return errors;
}

function validateLoadBalancer(spec: Spec): FieldErrors {
  const balanced = spec?.type === 'LoadBalancer';
  const errors: FieldError[] = [];
  const ranges = spec?.loadBalancerSourceRanges ?? [];
  // Upstream's path has a capital L.
  const field = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0 && !balanced) errors.push(forbiddenField(field, BALANCED_ONLY));
  if (ranges.some((range) => isCidr(range.trim()).length > 0)) {
    const detail = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ';
    const printed = `[${ranges.join(' ')}]`;
    errors.push(invalidField(field, printed, detail));
  }
  if (balanced && spec.allocateLoadBalancerNodePorts === undefined) {
    errors.push(requiredField('spec.allocateLoadBalancerNodePorts'));
  }
  if (!balanced && spec?.allocateLoadBalancerNodePorts !== undefined) {
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', BALANCED_ONLY));
  }
  const className = spec?.loadBalancerClass;
  if (className !== undefined) {
    if (balanced) errors.push(...checked('spec.loadBalancerClass', className, isQualifiedName));
    else errors.push(forbiddenField('spec.loadBalancerClass', BALANCED_ONLY));
  }
  return errors;
}

function validateTraffic(spec: Spec): FieldErrors {
  const errors: FieldError[] = [];
  const policies = ['Cluster', 'Local'];
  const external = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
  const policy = spec?.externalTrafficPolicy;
  const policyField = 'spec.externalTrafficPolicy';
  if (external) errors.push(...oneOf(policyField, policy, policies));
  else if (policy) {
    errors.push(
      invalidField(policyField, policy, "may only be set when `type` is 'NodePort' or 'LoadBalancer'"),
    );
  }
  const port = spec?.healthCheckNodePort ?? 0;
  const portField = 'spec.healthCheckNodePort';
  if (port < 0) errors.push(invalidField(portField, port, 'must be greater than or equal to 0'));
  if (port > 0 && !(spec?.type === 'LoadBalancer' && policy === 'Local')) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidField(portField, port, detail));
  }
  const internal = spec?.internalTrafficPolicy;
  if (internal !== undefined && !policies.includes(internal)) {
    errors.push(notSupportedField('spec.internalTrafficPolicy', internal, policies));
  } else if (internal === undefined && spec?.type !== 'ExternalName' && TYPES.includes(spec?.type ?? '')) {
    errors.push(requiredField('spec.internalTrafficPolicy'));
  }
  return errors;
}

/** Checks the rules of `ValidateServiceUpdate` in Kubernetes 1.24. */
export function validateServiceUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [...validateClusterIpsUpdate(next.spec, previous.spec)];
  const [now, before] = [next.spec?.loadBalancerClass, previous.spec?.loadBalancerClass];
  if (next.spec?.type === 'LoadBalancer' && previous.spec?.type === 'LoadBalancer' && now !== before) {
    errors.push(invalidField('spec.loadBalancerClass', now, 'may not change once set'));
  }
  return errors;
}

/** Checks the rules of `ValidateServiceStatusUpdate` in Kubernetes 1.24. */
export const validateServiceStatus = ({ status }: Frozen): FieldErrors =>
  validateLoadBalancerStatus(status?.loadBalancer, 'status.loadBalancer');
