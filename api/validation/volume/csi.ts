import { compareQuantities, quantityOf } from '../../quantity/quantity.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type {
  CSIDriverSpec,
  CSINodeDriver,
  CSINodeSpec,
  CSIStorageCapacity,
  TokenRequest,
} from '../../types/storage-v1.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain, isQualifiedName } from '../names.ts';
import { nonNegative } from '../numbers.ts';
import { quantityIn } from '../resources.ts';
import { repeats } from '../repeats.ts';

const DRIVER_NAME_LIMIT = 63;
const NODE_ID_LIMIT = 192;
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const SHORTEST_TOKEN_SECONDS = 600;
const LONGEST_TOKEN_SECONDS = 2 ** 32;

/** Checks the rules of `ValidateCSIDriverName` in Kubernetes 1.24. */
export function validateDriverName(name: string, field: string): FieldErrors {
  return [
    ...(name === '' ? [requiredField(field)] : []),
    ...(Buffer.byteLength(name) > DRIVER_NAME_LIMIT ? [tooLongField(field, DRIVER_NAME_LIMIT)] : []),
    ...isDns1123Subdomain(name.toLowerCase()).map((message) => invalidField(field, name, message)),
  ];
}

/** Checks the rules of `validateCSIDriverSpec` in Kubernetes 1.24. */
export function validateCsiDriverSpec(spec: DeepReadonly<CSIDriverSpec>, path: string): FieldErrors {
  const errors: FieldError[] = [];
  for (const field of ['attachRequired', 'podInfoOnMount', 'storageCapacity'] as const)
    if (spec[field] === undefined) errors.push(requiredField(child(path, field)));
  const policy = spec.fsGroupPolicy;
  const field = child(path, 'fsGroupPolicy');
  if (policy === undefined) errors.push(requiredField(field));
  else if (!FS_GROUP_POLICIES.includes(policy)) {
    errors.push(notSupportedField(field, policy, FS_GROUP_POLICIES));
  }
  errors.push(...validateTokenRequests(spec.tokenRequests ?? [], child(path, 'tokenRequests')));
  for (const mode of spec.volumeLifecycleModes ?? [])
    if (!LIFECYCLE_MODES.includes(mode)) {
      errors.push(notSupportedField(child(path, 'volumeLifecycleModes'), mode, LIFECYCLE_MODES));
    }
  return errors;
}

function validateTokenRequests(requests: readonly DeepReadonly<TokenRequest>[], path: string): FieldErrors {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience = '', expirationSeconds: seconds }, at) => {
    const each = index(path, at);
    if (audiences.has(audience)) return [duplicateField(child(each, 'audience'), audience)];
    audiences.add(audience);
    const field = child(each, 'expirationSeconds');
    if (seconds !== undefined && seconds < SHORTEST_TOKEN_SECONDS)
      return [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')];
    return seconds !== undefined && seconds > LONGEST_TOKEN_SECONDS
      ? [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : [];
  });
}

/** Checks the rules of `validateCSINodeSpec` in Kubernetes 1.24. */
export function validateCsiNodeSpec({ drivers }: DeepReadonly<CSINodeSpec>, path: string): FieldErrors {
  const seen = new Set<string>();
  return (drivers ?? []).flatMap((driver, at) => {
    const each = index(child(path, 'drivers'), at);
    const errors: FieldError[] = [...validateNodeDriver(driver, each)];
    const name = driver.name ?? '';
    if (seen.has(name)) errors.push(duplicateField(child(each, 'name'), name));
    seen.add(name);
    return [...errors, ...validateTopologyKeys(driver.topologyKeys ?? [], each)];
  });
}

function validateNodeDriver(
  { name, nodeID = '', allocatable }: DeepReadonly<CSINodeDriver>,
  path: string,
): FieldErrors {
  const field = child(path, 'nodeID');
  const errors: FieldError[] = [...validateDriverName(name ?? '', child(path, 'name'))];
  if (nodeID === '') errors.push(requiredField(field));
  else if (Buffer.byteLength(nodeID) > NODE_ID_LIMIT) {
    errors.push(invalidField(field, nodeID, `must be ${NODE_ID_LIMIT} characters or less`));
  }
  return [...errors, ...nonNegative(child(path, 'allocatable', 'count'), allocatable?.count)];
}

function validateTopologyKeys(keys: readonly string[], path: string): FieldErrors {
  const repeated = repeats(keys);
  return keys.flatMap((key, at) => [
    ...(key === '' ? [requiredField(path)] : []),
    ...(repeated.has(at) ? [duplicateField(path, key)] : []),
    ...isQualifiedName(key).map((message) => invalidLiteral(path, goStrings(keys), message)),
  ]);
}

/** Checks the rules of `ValidateCSIStorageCapacity` in Kubernetes 1.24. */
export function validateCsiStorageCapacity(capacity: DeepReadonly<CSIStorageCapacity>): FieldErrors {
  return [
    ...validateLabelSelector(capacity.nodeTopology, 'nodeTopology'),
    ...checked('storageClassName', capacity.storageClassName ?? '', isDns1123Subdomain),
    ...notNegative('capacity', capacity.capacity),
    ...notNegative('maximumVolumeSize', capacity.maximumVolumeSize),
  ];
}

function notNegative(field: string, text: string | undefined): FieldErrors {
  const amount = quantityIn(text);
  return amount === undefined || compareQuantities(amount, quantityOf(0)) >= 0
    ? []
    : [invalidField(field, text, 'must be greater than or equal to 0')];
}
