import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../types/core-v1-volume.ts';
import { isConfigKey, isQualifiedName } from './names.ts';
import { checked } from './metadata.ts';

/** What a container's environment may be told of its pod; sorted. */
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
/** The same for files. */
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
    // Upstream names the reference here, not its path.
    return checked(path, subject, isQualifiedName);
  }
  if (!KNOWN_FIELDS.has(fieldPath)) {
    const detail = `error converting fieldPath: field label not supported: ${fieldPath}`;
    return [invalidField(field, fieldPath, detail)];
  }
  return allowed.includes(fieldPath) ? [] : [notSupportedField(field, fieldPath, allowed)];
}

export function validateResourceRef(
  { containerName, resource = '' }: DeepReadonly<ResourceFieldSelector>,
  volume: boolean,
  path: string,
): FieldErrors {
  if (volume && !containerName) return [requiredField(child(path, 'containerName'))];
  const field = child(path, 'resource');
  if (resource === '') return [requiredField(field)];
  const known = RESOURCES.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
  return known ? [] : [notSupportedField(field, resource, RESOURCES)];
}

/** A key of a ConfigMap or Secret. */
export function validateKeyRef(
  { name, key }: { readonly name?: string; readonly key?: string },
  path: string,
): FieldErrors {
  const errors: FieldError[] = name ? [] : [requiredField(child(path, 'name'))];
  if (!key) return [...errors, requiredField(child(path, 'key'))];
  return [...errors, ...checked(child(path, 'key'), key, isConfigKey)];
}
