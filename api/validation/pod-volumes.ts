import { posix } from 'node:path';
import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import type {
  DownwardAPIVolumeFile,
  HostPathVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  Volume,
} from '../types/core-v1-volume.ts';
import { checked } from './metadata.ts';
import { isDns1123Label } from './names.ts';
import { validateClaimSpec } from './persistent-volume-claim.ts';
import { validateFieldRef, validateResourceRef, VOLUME_FIELDS } from './pod-references.ts';

const MAX_MODE = 0o777;
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

/** In the order in which the real server looks at them: those after the first are one too many. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
];

/** Fields without which a source means nothing. */
const REQUIRED: { readonly [source: string]: readonly string[] } = {
  awsElasticBlockStore: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  cinder: ['volumeID'],
  configMap: ['name'],
  csi: ['driver'],
  ephemeral: ['volumeClaimTemplate'],
  flexVolume: ['driver'],
  gcePersistentDisk: ['pdName'],
  gitRepo: ['repository'],
  glusterfs: ['endpoints', 'path'],
  hostPath: ['path'],
  iscsi: ['targetPortal', 'iqn'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  quobyte: ['registry', 'volume'],
  rbd: ['image'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  secret: ['secretName'],
  vsphereVolume: ['volumePath'],
};

/** Release 1.24, `ValidateVolumes`. */
export function validateVolumes(volumes: readonly DeepReadonly<Volume>[], path: string): FieldErrors {
  const names = new Set<string>();
  return volumes.flatMap((volume, at) => {
    const each = index(path, at);
    const name = volume.name ?? '';
    const field = child(each, 'name');
    const errors: FieldError[] = [...validateVolumeSource(volume, each)];
    if (name === '') errors.push(requiredField(field));
    else errors.push(...checked(field, name, isDns1123Label));
    if (names.has(name)) errors.push(duplicateField(field, name));
    names.add(name);
    return errors;
  });
}

function validateVolumeSource(volume: DeepReadonly<Volume>, path: string): FieldErrors {
  const order = (source: string): number => SOURCES.indexOf(source);
  const sources = Object.entries(volume)
    .filter(([key, source]) => key !== 'name' && source !== undefined && source !== null)
    .sort(([one], [other]) => order(one) - order(other));
  if (sources.length === 0) return [requiredField(path, 'must specify a volume type')];
  const errors: FieldError[] = sources
    .slice(1)
    .map(([key]) => forbiddenField(child(path, key), 'may not specify more than 1 volume type'));
  for (const [key, source] of sources.slice(0, 1)) {
    const fields = Object.hasOwn(REQUIRED, key) ? (REQUIRED[key] ?? []) : [];
    const given = new Map(Object.entries(source as object));
    errors.push(
      ...fields.filter((field) => !given.get(field)).map((field) => requiredField(child(path, key, field))),
    );
  }
  return [...errors, ...validateFileSources(volume, path)];
}

function validateFileSources(volume: DeepReadonly<Volume>, path: string): FieldErrors {
  const { emptyDir, hostPath, nfs, secret, configMap, downwardAPI, projected, ephemeral } = volume;
  const errors: FieldError[] = [];
  if (emptyDir?.sizeLimit !== undefined && emptyDir.sizeLimit.startsWith('-')) {
    const detail = 'SizeLimit field must be a valid resource quantity';
    errors.push(forbiddenField(child(path, 'emptyDir', 'sizeLimit'), detail));
  }
  if (nfs?.path && !posix.isAbsolute(nfs.path)) {
    errors.push(invalidField(child(path, 'nfs', 'path'), nfs.path, 'must be an absolute path'));
  }
  if (ephemeral?.volumeClaimTemplate) {
    const template = child(path, 'ephemeral', 'volumeClaimTemplate', 'spec');
    errors.push(...validateClaimSpec(ephemeral.volumeClaimTemplate.spec, template));
  }
  if (hostPath) errors.push(...validateHostPath(hostPath, child(path, 'hostPath')));
  for (const [key, source] of Object.entries({ secret, configMap })) {
    if (source === undefined) continue;
    errors.push(...validateMode(source.defaultMode, child(path, key, 'defaultMode')));
    errors.push(...validateItems(source.items, child(path, key, 'items')));
  }
  if (downwardAPI) {
    errors.push(...validateMode(downwardAPI.defaultMode, child(path, 'downwardAPI', 'defaultMode')));
    errors.push(...validateDownwardFiles(downwardAPI.items, child(path, 'downwardAPI')));
  }
  if (projected) errors.push(...validateProjected(projected, child(path, 'projected')));
  return errors;
}

function validateHostPath({ path, type }: DeepReadonly<HostPathVolumeSource>, field: string): FieldErrors {
  const errors: FieldError[] = [...withoutBacksteps(path ?? '', child(field, 'path'))];
  if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
    errors.push(notSupportedField(child(field, 'type'), type, HOST_PATH_TYPES));
  }
  return errors;
}

const validateMode = (mode: number | undefined, field: string): FieldErrors =>
  mode === undefined || (mode >= 0 && mode <= MAX_MODE) ? [] : [invalidField(field, mode, MODE)];

export const withoutBacksteps = (path: string, field: string): FieldErrors =>
  path.split('/').includes('..') ? [invalidField(field, path, "must not contain '..'")] : [];

/** A path below some folder: neither absolute nor leaving it. */
export const validateDescendingPath = (path: string, field: string): FieldErrors => [
  ...(posix.isAbsolute(path) ? [invalidField(field, path, 'must be a relative path')] : []),
  ...withoutBacksteps(path, field),
];

/** As above, and `..data` and its like belong to the node agent. */
function validateFilePath(path: string, field: string): FieldErrors {
  if (path === '') return [requiredField(field)];
  const errors = validateDescendingPath(path, field);
  return path.startsWith('..') && !path.startsWith('../') && path !== '..'
    ? [...errors, invalidField(field, path, "must not start with '..'")]
    : errors;
}

function validateItems(items: readonly DeepReadonly<KeyToPath>[] | undefined, path: string): FieldErrors {
  return (items ?? []).flatMap((item, at) => {
    const each = index(path, at);
    return [
      ...(item.key ? [] : [requiredField(child(each, 'key'))]),
      ...validateFilePath(item.path ?? '', child(each, 'path')),
      ...validateMode(item.mode, child(each, 'mode')),
    ];
  });
}

/** Upstream's paths name the source, not the item. */
function validateDownwardFiles(
  files: readonly DeepReadonly<DownwardAPIVolumeFile>[] | undefined,
  path: string,
): FieldErrors {
  return (files ?? []).flatMap((file) => {
    const errors: FieldError[] = [...validateFilePath(file.path ?? '', child(path, 'path'))];
    if (file.fieldRef) {
      errors.push(...validateFieldRef(file.fieldRef, VOLUME_FIELDS, child(path, 'fieldRef')));
      if (file.resourceFieldRef) {
        errors.push(
          invalidField(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
        );
      }
    } else if (file.resourceFieldRef) {
      errors.push(...validateResourceRef(file.resourceFieldRef, true, child(path, 'resourceFieldRef')));
    } else errors.push(requiredField(path, 'one of fieldRef and resourceFieldRef is required'));
    return [...errors, ...validateMode(file.mode, child(path, 'mode'))];
  });
}

function validateProjected(projected: DeepReadonly<ProjectedVolumeSource>, path: string): FieldErrors {
  const errors: FieldError[] = [...validateMode(projected.defaultMode, child(path, 'defaultMode'))];
  (projected.sources ?? []).forEach((source, at) => {
    const each = index(child(path, 'sources'), at);
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    const given = [secret, configMap, downwardAPI, serviceAccountToken].filter((one) => one !== undefined);
    if (given.length > 1) errors.push(forbiddenField(each, 'may not specify more than 1 volume type'));
    for (const [key, files] of Object.entries({ secret, configMap })) {
      if (files === undefined) continue;
      if (!files.name) errors.push(requiredField(child(each, key, 'name')));
      errors.push(...validateItems(files.items, child(each, key, 'items')));
    }
    errors.push(...validateDownwardFiles(downwardAPI?.items, child(each, 'downwardAPI')));
    if (serviceAccountToken) {
      errors.push(...validateTokenSource(serviceAccountToken, child(each, 'serviceAccountToken')));
    }
  });
  return errors;
}

function validateTokenSource(
  token: { readonly expirationSeconds?: number; readonly path?: string },
  path: string,
): FieldErrors {
  const seconds = token.expirationSeconds ?? 0;
  const field = child(path, 'expirationSeconds');
  const errors: FieldError[] = [];
  if (seconds < 600) {
    errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'));
  } else if (seconds > 2 ** 32) {
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return [...errors, ...validateFilePath(token.path ?? '', child(path, 'path'))];
}
