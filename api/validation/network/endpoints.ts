import type { DeepReadonly } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, child, index, requiredField } from '../../status/field-errors.ts';
import type { EndpointAddress, EndpointPort, Endpoints } from '../../types/core-v1-service.ts';
import { validateNonSpecialAddress } from './addresses.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain, isIpAddress, isQualifiedName } from '../names.ts';
import { validatePort, validatePortName, validateProtocol } from './service-ports.ts';

/** Checks the rules of `validateEndpointSubsets` in Kubernetes 1.24. */
export const validateEndpoints = ({ subsets = [] }: DeepReadonly<Endpoints>): FieldErrors =>
  subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, at) => {
    const path = index('subsets', at);
    const errors: FieldError[] = [];
    if (addresses.length + notReadyAddresses.length === 0) {
      errors.push(requiredField(path, 'must specify `addresses` or `notReadyAddresses`'));
    }
    for (const [name, list] of Object.entries({ addresses, notReadyAddresses })) {
      errors.push(
        ...list.flatMap((address, place) => validateAddress(address, index(child(path, name), place))),
      );
    }
    return [...errors, ...validatePorts(ports, child(path, 'ports'))];
  });

function validateAddress(address: DeepReadonly<EndpointAddress>, path: string): FieldErrors {
  const { ip = '', hostname = '', nodeName } = address;
  const field = child(path, 'ip');
  const errors: FieldError[] = [...checked(field, ip, isIpAddress)];
  if (hostname !== '') errors.push(...checked(child(path, 'hostname'), hostname, isDns1123Label));
  if (nodeName !== undefined) {
    errors.push(...checked(child(path, 'nodeName'), nodeName, isDns1123Subdomain));
  }
  return [...errors, ...validateNonSpecialAddress(ip, field)];
}

function validatePorts(ports: readonly DeepReadonly<EndpointPort>[], path: string): FieldErrors {
  const taken = new Set<string>();
  return ports.flatMap((port, at) => {
    const each = index(path, at);
    return [
      ...validatePortName(port.name ?? '', ports.length > 1, taken, child(each, 'name')).filter(
        ({ type }) => type !== 'FieldValueDuplicate',
      ),
      ...validatePort(port.port, child(each, 'port')),
      ...validateProtocol(port.protocol ?? '', child(each, 'protocol')),
      ...(port.appProtocol === undefined
        ? []
        : checked(child(each, 'appProtocol'), port.appProtocol, isQualifiedName)),
    ];
  });
}
