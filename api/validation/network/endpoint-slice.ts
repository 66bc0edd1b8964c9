import { isIPv4, isIPv6 } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  fieldError,
  child,
  duplicateField,
  index,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
  tooManyField,
} from '../../status/field-errors.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../types/discovery-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateNonSpecialAddress } from './addresses.ts';
import { checked, validateLabels } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from '../names.ts';
import { repeats } from '../repeats.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY = 16;
const MAX_ZONES = 8;

/** Checks the rules of `ValidateEndpointSlice` in Kubernetes 1.24. */
export function validateEndpointSlice(
  { addressType = '', endpoints, ports }: DeepReadonly<EndpointSlice>,
  vocabulary: Vocabulary,
): FieldErrors {
  const list = endpoints ?? [];
  return [
    ...validateAddressType(addressType),
    ...(list.length > MAX_ENDPOINTS
      ? [tooManyField('endpoints', list.length, MAX_ENDPOINTS)]
      : list.flatMap((each, at) => validateEndpoint(each, addressType, index('endpoints', at), vocabulary))),
    ...validatePorts(ports ?? [], 'ports'),
  ];
}

function validateAddressType(type: string): FieldErrors {
  if (type === '') return [requiredField('addressType')];
  return ADDRESS_TYPES.includes(type) ? [] : [notSupportedField('addressType', type, ADDRESS_TYPES)];
}

function validateEndpoint(
  endpoint: DeepReadonly<Endpoint>,
  addressType: string,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const { nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const field = child(path, 'addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(requiredField(field, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) {
    errors.push(tooManyField(field, addresses.length, MAX_ADDRESSES));
  }
  errors.push(...addresses.flatMap((each, at) => validateAddress(each, addressType, index(field, at))));
  if (nodeName !== undefined) errors.push(...checked(child(path, 'nodeName'), nodeName, isDns1123Subdomain));
  errors.push(...validateTopology(deprecatedTopology, child(path, 'deprecatedTopology'), vocabulary));
  if (hostname !== undefined) errors.push(...checked(child(path, 'hostname'), hostname, isDns1123Label));
  if (hints !== undefined) errors.push(...validateHints(hints, child(path, 'hints')));
  return errors;
}

/** Validates an address. An unknown address type causes no error here, because the caller reports it. */
function validateAddress(address: string, type: string, field: string): FieldErrors {
  switch (type) {
    case 'IPv4':
    case 'IPv6':
      return [
        ...((type === 'IPv4' ? isIPv4(address) : isIPv6(address))
          ? []
          : [invalidField(field, address, `must be a valid ${type} address`)]),
        ...validateNonSpecialAddress(address, field),
      ];
    case 'FQDN':
      return validateDomain(address, field);
    default:
      return [];
  }
}

function validateDomain(text: string, field: string): FieldErrors {
  if (text === '') return [requiredField(field)];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const complaints = isDns1123Subdomain(name);
  if (complaints.length > 0) return [invalidField(field, name, complaints.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    const detail = 'should be a domain with at least two segments separated by dots';
    return [invalidField(field, name, detail)];
  }
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  return bad === undefined ? [] : [invalidField(field, bad, isDns1123Label(bad).join(','))];
}

function validateTopology(
  topology: { readonly [key: string]: string },
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const count = Object.keys(topology).length;
  const zone = vocabulary.key('topology', 'zone');
  const errors: FieldError[] = count > MAX_TOPOLOGY ? [tooManyField(path, count, MAX_TOPOLOGY)] : [];
  errors.push(...validateLabels(topology, path));
  if (Object.hasOwn(topology, zone)) {
    const message = 'Internal error: reserved key was not removed in conversion';
    errors.push(fieldError('InternalError', mapKey(path, zone), message));
  }
  return errors;
}

function validateHints({ forZones = [] }: DeepReadonly<EndpointHints>, path: string): FieldErrors {
  const field = child(path, 'forZones');
  if (forZones.length > MAX_ZONES) return [tooManyField(field, forZones.length, MAX_ZONES)];
  const names = forZones.map(({ name }) => name ?? '');
  const repeated = repeats(names);
  return names.flatMap((name, at) => {
    const each = child(index(field, at), 'name');
    return [...(repeated.has(at) ? [duplicateField(each, name)] : []), ...checked(each, name, isLabelValue)];
  });
}

function validatePorts(ports: readonly DeepReadonly<EndpointPort>[], path: string): FieldErrors {
  if (ports.length > MAX_PORTS) return [tooManyField(path, ports.length, MAX_PORTS)];
  const seen = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, at) => {
    const each = index(path, at);
    const errors: FieldError[] = name === '' ? [] : [...checked(child(each, 'name'), name, isDns1123Label)];
    if (seen.has(name)) errors.push(duplicateField(child(each, 'name'), name));
    seen.add(name);
    if (protocol === undefined) errors.push(requiredField(child(each, 'protocol')));
    else if (!PROTOCOLS.includes(protocol)) {
      errors.push(notSupportedField(child(each, 'protocol'), protocol, PROTOCOLS));
    }
    if (appProtocol === undefined) return errors;
    return [...errors, ...checked(child(each, 'appProtocol'), appProtocol, isQualifiedName)];
  });
}
