import type { DeepReadonly } from '../../kinds/kind.ts';
import { canonicalQuantity } from '../../quantity/quantity.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../types/core-v1-shared.ts';
import { isConfigKey, isDns1123Subdomain, isQualifiedName } from '../names.ts';
import { checked } from '../metadata.ts';
import { quantityIn } from '../resources.ts';

/** Pod fields that environment variables can refer to, in alphabetical order. */
export const ENVIRONMENT_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
];
/** Pod fields that volume files can refer to, in alphabetical order. */
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const KNOWN_FIELDS = new Set([
  ...ENVIRONMENT_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const HUGE_PAGES = /^(limits|requests)\.hugepages-/;
const CPU_DIVISORS: readonly string[] = ['1m', '1'];
const BYTES_DIVISORS: readonly string[] = '1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei'.split(' ');

/** Validates a reference to a field of the pod; `allowed` lists the accepted fields. */
export function validateFieldRef(
  { apiVersion, fieldPath = '' }: DeepReadonly<ObjectFieldSelector>,
  allowed: readonly string[],
  path: string,
): FieldErrors {
  if (!apiVersion) return [requiredField(child(path, 'apiVersion'))];
  const field = child(path, 'fieldPath');
  if (fieldPath === '') return [requiredField(field)];
  if (apiVersion !== 'v1') {
    const detail = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    return [invalidField(field, fieldPath, detail)];
  }
  const [, base, key] = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (base !== undefined) {
    const subject = base === 'metadata.annotations' ? (key ?? '').toLowerCase() : (key ?? '');
    // Upstream's error has the path of the reference here, not the path of `fieldPath`.
    return checked(path, subject, isQualifiedName);
  }
  if (!KNOWN_FIELDS.has(fieldPath)) {
    const detail = `error converting fieldPath: field label not supported: ${fieldPath}`;
    return [invalidField(field, fieldPath, detail)];
  }
  return allowed.includes(fieldPath) ? [] : [notSupportedField(field, fieldPath, allowed)];
}

/** Validates a reference to a resource of a container. In a volume, the reference must name the container. */
export const validateResourceRef = (
  reference: DeepReadonly<ResourceFieldSelector>,
  volume: boolean,
  path: string,
): FieldErrors => [...validateResource(reference, volume, path), ...validateDivisor(reference, path)];

function validateResource(
  { containerName, resource = '' }: DeepReadonly<ResourceFieldSelector>,
  volume: boolean,
  path: string,
): FieldErrors {
  if (volume && !containerName) return [requiredField(child(path, 'containerName'))];
  const field = child(path, 'resource');
  if (resource === '') return [requiredField(field)];
  const known = RESOURCES.includes(resource) || HUGE_PAGES.test(resource);
  return known ? [] : [notSupportedField(field, resource, RESOURCES)];
}

/**
 * Checks the rules of `validateContainerResourceDivisor` in Kubernetes 1.24. Upstream's error prints the
 * resource as the value of the divisor.
 */
function validateDivisor(
  { resource = '', divisor }: DeepReadonly<ResourceFieldSelector>,
  path: string,
): FieldErrors {
  const [, plain = ''] = /^(?:limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(resource) ?? [];
  const what = HUGE_PAGES.test(resource) ? 'hugepages' : plain;
  const shown = canonicalText(divisor);
  if (what === '' || shown === undefined || shown === '0') return [];
  const accepted = what === 'cpu' ? CPU_DIVISORS : BYTES_DIVISORS;
  if (accepted.includes(shown)) return [];
  const detail = `only divisor's values ${accepted.join(what === 'cpu' ? ' and ' : ', ')} are supported with the ${what === 'ephemeral-storage' ? 'local ephemeral storage' : what} resource`;
  return [invalidField(child(path, 'divisor'), resource, detail)];
}

function canonicalText(text: string | undefined): string | undefined {
  const amount = quantityIn(text);
  return amount && canonicalQuantity(amount);
}

/** Validates a reference to a key of a ConfigMap or Secret. */
export function validateKeyRef(
  { name, key }: { readonly name?: string; readonly key?: string },
  path: string,
): FieldErrors {
  const errors: FieldError[] = [...checked(child(path, 'name'), name ?? '', isDns1123Subdomain)];
  if (!key) return [...errors, requiredField(child(path, 'key'))];
  return [...errors, ...checked(child(path, 'key'), key, isConfigKey)];
}
