import { isIP } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, child, index, invalidField } from '../../status/field-errors.ts';
import type { LoadBalancerStatus } from '../../types/core-v1-service.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain } from '../names.ts';

/** Error detail for an IP address in a field that requires a DNS name. */
export const NOT_AN_ADDRESS = 'must be a DNS name, not an IP address';

/** Checks the rules of `ValidateLoadBalancerStatus` in Kubernetes 1.24. */
export function validateLoadBalancerStatus(
  status: DeepReadonly<LoadBalancerStatus> | undefined,
  path: string,
): FieldErrors {
  return (status?.ingress ?? []).flatMap(({ ip = '', hostname = '' }, at) => {
    const each = index(child(path, 'ingress'), at);
    const errors: FieldError[] = [];
    if (ip !== '' && isIP(ip) === 0) {
      errors.push(invalidField(child(each, 'ip'), ip, 'must be a valid IP address'));
    }
    if (hostname === '') return errors;
    errors.push(...checked(child(each, 'hostname'), hostname, isDns1123Subdomain));
    if (isIP(hostname) !== 0) errors.push(invalidField(child(each, 'hostname'), hostname, NOT_AN_ADDRESS));
    return errors;
  });
}
