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
  invalidField,
  mapKey,
  requiredField,
} from '../status/field-errors.ts';
import type { ResourceRequirements } from '../types/core-v1-volume.ts';
import { checked } from './metadata.ts';
import { isQualifiedName } from './names.ts';

type Amounts = { readonly [name: string]: string } | undefined;

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
const OTHER_RESOURCES = new Set([
  'storage',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
/** Resources without a domain, or with the product's own, may be promised to more than can have them. */
const mayOvercommit = (name: string): boolean => !name.includes('/') && !isHugePages(name);

/** A decoded quantity is canonical text; anything else counts as none. */
export function quantityIn(text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  try {
    return parseQuantity(String(text));
  } catch {
    return undefined;
  }
}

/** The name of a resource that a container can ask for. */
export function validateContainerResourceName(name: string, field: string): FieldErrors {
  const errors: FieldError[] = [...validateResourceName(name, field)];
  if (name.includes('/') || CONTAINER_RESOURCES.has(name) || isHugePages(name)) return errors;
  return [...errors, invalidField(field, name, 'must be a standard resource for containers')];
}

export function validateResourceName(name: string, field: string): FieldErrors {
  const errors = checked(field, name, isQualifiedName);
  if (errors.length > 0 || name.includes('/') || isHugePages(name)) return errors;
  return CONTAINER_RESOURCES.has(name) || OTHER_RESOURCES.has(name)
    ? errors
    : [invalidField(field, name, 'must be a standard resource type or fully qualified')];
}

function validateAmount(name: string, text: string, field: string): FieldErrors {
  const amount = quantityIn(text);
  if (amount === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(amount, quantityOf(0)) < 0) {
    errors.push(invalidField(field, text, 'must be greater than or equal to 0'));
  }
  const whole = name.includes('/') || OTHER_RESOURCES.has(name);
  if (whole && name !== 'storage' && quantityMilliValue(amount) % 1000n !== 0n) {
    errors.push(invalidField(field, text, 'must be an integer'));
  }
  return errors;
}

/** Release 1.24, `ValidateResourceRequirements`. */
export function validateResourceRequirements(
  resources: DeepReadonly<ResourceRequirements> | undefined,
  path: string,
): FieldErrors {
  return [
    ...validateAmounts(resources?.limits, child(path, 'limits')),
    ...validateAmounts(resources?.requests, child(path, 'requests')),
    ...validateRequests(resources?.requests, resources?.limits, path),
  ];
}

const validateAmounts = (amounts: Amounts, path: string): FieldErrors =>
  Object.entries(amounts ?? {}).flatMap(([name, text]) => [
    ...validateContainerResourceName(name, mapKey(path, name)),
    ...validateAmount(name, text, mapKey(path, name)),
  ]);

function validateRequests(requests: Amounts, limits: Amounts, path: string): FieldErrors {
  return Object.entries(requests ?? {}).flatMap(([name, text]) => {
    const limit = limits && Object.hasOwn(limits, name) ? quantityIn(limits[name]) : undefined;
    const request = quantityIn(text);
    const field = child(path, 'requests');
    if (limit === undefined) {
      const detail = 'Limit must be set for non overcommitable resources';
      return mayOvercommit(name) ? [] : [requiredField(child(path, 'limits'), detail)];
    }
    const order = request === undefined ? 0 : compareQuantities(request, limit);
    if (order !== 0 && !mayOvercommit(name)) {
      return [invalidField(field, text, `must be equal to ${name} limit`)];
    }
    return order > 0 ? [invalidField(field, text, `must be less than or equal to ${name} limit`)] : [];
  });
}
