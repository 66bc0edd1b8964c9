import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
} from '../quantity/quantity.ts';
import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  invalidField,
  mapKey,
  requiredField,
} from '../status/field-errors.ts';
import type { ResourceRequirements } from '../types/core-v1-shared.ts';
import { invalidTyped } from './go-text/dump.ts';
import { checked } from './metadata.ts';
import { isQualifiedName } from './names.ts';

type Amounts = { readonly [name: string]: string };

/** Resources that containers consume. */
export const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
/** Resources whose amount is a number of objects. */
const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
];
const CONTAINER_RESOURCES = new Set(COMPUTE);
const QUOTA_RESOURCES = new Set([
  ...COUNTED,
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);
const PAGES = 'hugepages-';
const isHugePages = (name: string): boolean => name.startsWith(PAGES);
/** True if the resource has no domain and a quota can limit it. */
export const isQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || /^(requests\.)?hugepages-/.test(name);
/** True if the resource has a domain and a container can request it. */
const isExtended = (name: string): boolean => name.includes('/') && !name.startsWith('requests.');
/**
 * True if the request of the resource may be less than its limit. This applies to resources without a domain,
 * except huge pages.
 */
const mayOvercommit = (name: string): boolean => !name.includes('/') && !isHugePages(name);

/** Returns the quantity of a decoded, canonical string; undefined for any other string. */
export function quantityIn(text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  try {
    return parseQuantity(String(text));
  } catch {
    return undefined;
  }
}

/** Validates the name of a resource that a container can request. */
export function validateContainerResourceName(name: string, field: string): FieldErrors {
  const errors: FieldError[] = [...validateResourceName(name, field)];
  if (isExtended(name) || CONTAINER_RESOURCES.has(name) || isHugePages(name)) return errors;
  const detail = name.includes('/')
    ? "doesn't follow extended resource name standard"
    : 'must be a standard resource for containers';
  return [...errors, invalidField(field, name, detail)];
}

/** Validates the name of a resource. */
export function validateResourceName(name: string, field: string): FieldErrors {
  const errors = checked(field, name, isQualifiedName);
  if (errors.length > 0 || name.includes('/') || name === 'storage' || isQuotaResource(name)) return errors;
  return [invalidField(field, name, 'must be a standard resource type or fully qualified')];
}

/** Validates an amount: it must not be negative, and must be an integer if the resource is counted. */
export function validateResourceAmount(name: string, text: string, field: string): FieldErrors {
  const amount = quantityIn(text);
  if (amount === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(amount, quantityOf(0)) < 0) {
    errors.push(invalidField(field, text, 'must be greater than or equal to 0'));
  }
  const whole = isExtended(name) || COUNTED.includes(name);
  if (whole && quantityMilliValue(amount) % 1000n !== 0n) {
    errors.push(invalidTyped(field, 'resource.Quantity', text, 'must be an integer'));
  }
  return errors;
}

function validatePages(name: string, text: string, field: string): FieldErrors {
  const amount = quantityIn(text);
  if (!isHugePages(name) || amount === undefined) return [];
  const page = quantityIn(name.slice(PAGES.length));
  const size = page === undefined ? 0n : quantityMilliValue(page);
  if (size > 0n && size % 1000n === 0n && quantityMilliValue(amount) % size === 0n) return [];
  return [invalidField(field, text, `${text} is not positive integer multiple of ${name}`)];
}

/** Checks the rules of `ValidateResourceRequirements` in Kubernetes 1.24. */
export function validateResourceRequirements(
  resources: Pick<DeepReadonly<ResourceRequirements>, 'limits' | 'requests'> | undefined,
  path: string,
): FieldErrors {
  const { limits = {}, requests = {} } = resources ?? {};
  return [
    ...Object.entries(limits).flatMap(([name, text]) => {
      const field = mapKey(child(path, 'limits'), name);
      return [...validateAmount(name, text, field), ...validatePages(name, text, field)];
    }),
    ...Object.entries(requests).flatMap(([name, text]) => {
      const field = mapKey(child(path, 'requests'), name);
      return [
        ...validateAmount(name, text, field),
        ...validateRequest(name, text, limits, path),
        ...validatePages(name, text, field),
      ];
    }),
    ...validateCompany([...Object.keys(limits), ...Object.keys(requests)], path),
  ];
}

const validateCompany = (names: readonly string[], path: string): FieldErrors =>
  names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')
    ? [forbiddenField(path, 'HugePages require cpu or memory')]
    : [];

const validateAmount = (name: string, text: string, field: string): FieldErrors => [
  ...validateContainerResourceName(name, field),
  ...validateResourceAmount(name, text, field),
];

/**
 * Validates that a request does not exceed its limit. It must equal the limit if the resource cannot be
 * overcommitted.
 */
function validateRequest(name: string, text: string, limits: Amounts, path: string): FieldErrors {
  const limit = Object.hasOwn(limits, name) ? quantityIn(limits[name]) : undefined;
  const request = quantityIn(text);
  const field = child(path, 'requests');
  if (limit === undefined) {
    const detail = 'Limit must be set for non overcommitable resources';
    return mayOvercommit(name) ? [] : [requiredField(child(path, 'limits'), detail)];
  }
  const order = request === undefined ? 0 : compareQuantities(request, limit);
  if (order !== 0 && !mayOvercommit(name))
    return [invalidField(field, text, `must be equal to ${name} limit`)];
  return order > 0 ? [invalidField(field, text, `must be less than or equal to ${name} limit`)] : [];
}
