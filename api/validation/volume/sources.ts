import { posix } from 'node:path';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { PersistentVolumeSource } from '../../types/core-v1-persistent-volume.ts';
import type { VolumeSource } from '../../types/core-v1-volume.ts';
import type { HostPathVolumeSource } from '../../types/core-v1-volume-files.ts';
import type { FlockerVolumeSource } from '../../types/core-v1-volume-storage.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label } from '../names.ts';
import { within } from '../numbers.ts';
import { validateStorageIdentity } from './identity.ts';

// Pod volumes and PersistentVolumes have many sources with the same fields and rules.
type PodSources = DeepReadonly<Required<VolumeSource>>;
type VolumeSources = DeepReadonly<Required<PersistentVolumeSource>>;
type Shared = Extract<keyof PodSources, keyof VolumeSources>;
type Source<K extends Shared> = PodSources[K] | VolumeSources[K];
type Check<T> = (source: T, path: string, vocabulary: Vocabulary) => FieldErrors;

const TENANT_LIMIT = 64;
/** Error detail for a second volume source. */
export const ONE_SOURCE = 'may not specify more than 1 volume type';
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
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';

/** Reports missing fields in the given order. An empty list counts as missing. */
export const missing = <K extends string>(
  source: { readonly [F in K]?: unknown },
  path: string,
  ...fields: readonly K[]
): FieldErrors =>
  fields
    .filter((field) => {
      const held: unknown = source[field];
      return !held || (Array.isArray(held) && held.length === 0);
    })
    .map((field) => requiredField(child(path, field)));

/** Validates that a path has no `..` segment. */
export const withoutBacksteps = (path: string, field: string): FieldErrors =>
  path.split('/').includes('..') ? [invalidField(field, path, "must not contain '..'")] : [];

/** Validates that a path is relative and does not leave its base directory. */
export const validateDescendingPath = (path: string, field: string): FieldErrors => [
  ...(posix.isAbsolute(path) ? [invalidField(field, path, 'must be a relative path')] : []),
  ...withoutBacksteps(path, field),
];

function validateHostPath(
  { path = '', type }: DeepReadonly<HostPathVolumeSource>,
  field: string,
): FieldErrors {
  if (path === '') return [requiredField(child(field, 'path'))];
  const errors: FieldError[] = [...withoutBacksteps(path, child(field, 'path'))];
  if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
    errors.push(notSupportedField(child(field, 'type'), type, HOST_PATH_TYPES));
  }
  return errors;
}

const validatePartition = (partition: number | undefined, path: string): FieldErrors =>
  (partition ?? 0) < 0 || (partition ?? 0) > 255
    ? [invalidField(child(path, 'partition'), partition, 'must be between 1 and 255, inclusive')]
    : [];

function validateFlocker(
  { datasetName = '', datasetUUID = '' }: DeepReadonly<FlockerVolumeSource>,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  if (datasetName === '' && datasetUUID === '') {
    errors.push(requiredField(path, 'one of datasetName and datasetUUID is required'));
  }
  if (datasetName !== '' && datasetUUID !== '') {
    const detail = 'datasetName and datasetUUID can not be specified simultaneously';
    errors.push(invalidField(path, 'resource', detail));
  }
  if (datasetName.includes('/')) {
    errors.push(invalidField(child(path, 'datasetName'), datasetName, "must not contain '/'"));
  }
  return errors;
}

function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: Source<'fc'>, path: string): FieldErrors {
  const field = child(path, 'targetWWNs');
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(requiredField(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const detail = 'targetWWNs and wwids can not be specified simultaneously';
    errors.push(invalidLiteral(field, goStrings(targetWWNs), detail));
  }
  if (targetWWNs.length === 0) return errors;
  return lun === undefined
    ? [...errors, requiredField(child(path, 'lun'), 'lun is required if targetWWNs is specified')]
    : [...errors, ...within(child(path, 'lun'), lun, 0, 255)];
}

function validateQuobyte(
  { registry = '', tenant = '', volume = '' }: Source<'quobyte'>,
  path: string,
): FieldErrors {
  const field = child(path, 'registry');
  const isPair = (pair: string): boolean => /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
  const errors: FieldError[] =
    registry === ''
      ? [requiredField(field, REGISTRY)]
      : Buffer.byteLength(tenant) > TENANT_LIMIT
        ? [
            requiredField(
              child(path, 'tenant'),
              `must be a UUID and may not exceed a length of ${TENANT_LIMIT} characters`,
            ),
          ]
        : registry
            .split(',')
            .filter((pair) => !isPair(pair))
            .map(() => invalidField(field, registry, REGISTRY));
  return volume === '' ? [...errors, requiredField(child(path, 'volume'))] : errors;
}

function validateAzureDisk(disk: Source<'azureDisk'>, path: string): FieldErrors {
  const { cachingMode, kind, diskURI = '' } = disk;
  const errors: FieldError[] = [...missing(disk, path, 'diskName', 'diskURI')];
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode)) {
    errors.push(notSupportedField(child(path, 'cachingMode'), cachingMode, CACHING_MODES));
  }
  if (kind !== undefined && !DISK_KINDS.includes(kind)) {
    errors.push(notSupportedField(child(path, 'kind'), kind, DISK_KINDS));
  }
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) {
    errors.push(notSupportedField(child(path, 'diskURI'), diskURI, [MANAGED_DISK]));
  }
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://')) {
    errors.push(notSupportedField(child(path, 'diskURI'), diskURI, [BLOB_DISK]));
  }
  return errors;
}

/** Validates a FlexVolume. Its options may not use the domain of the product. */
function validateFlexVolume(
  source: { readonly driver?: string; readonly options?: { readonly [name: string]: string } },
  path: string,
  { domain, groupSuffix }: Vocabulary,
): FieldErrors {
  const isReserved = (name: string): boolean => {
    const normalised = `.${(name.includes('/') ? name.slice(0, name.indexOf('/')) : name).toLowerCase()}`;
    return normalised.endsWith(`.${domain}`) || normalised.endsWith(`.${groupSuffix}`);
  };
  const detail =
    domain === groupSuffix
      ? `${domain} namespaces are reserved`
      : `${domain} and ${groupSuffix} namespaces are reserved`;
  return [
    ...missing(source, path, 'driver'),
    ...Object.keys(source.options ?? {})
      .filter(isReserved)
      .map((name) => invalidField(mapKey(child(path, 'options'), name), name, detail)),
  ];
}

interface StorageOs {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly secretRef?: Reference;
}
interface Reference {
  readonly name?: string;
  readonly namespace?: string;
}

/**
 * Checks the rules of `validateStorageOSVolumeSource` in Kubernetes 1.24. `parts` lists the required fields
 * of the secret reference; in a PersistentVolume it includes the namespace.
 */
export const validateStorageOs = (
  { volumeName = '', volumeNamespace = '', secretRef }: StorageOs,
  path: string,
  parts: readonly (keyof Reference)[],
): FieldErrors => [
  ...(volumeName === ''
    ? [requiredField(child(path, 'volumeName'))]
    : checked(child(path, 'volumeName'), volumeName, isDns1123Label)),
  ...(volumeNamespace === '' ? [] : checked(child(path, 'volumeNamespace'), volumeNamespace, isDns1123Label)),
  ...(secretRef === undefined ? [] : missing(secretRef, child(path, 'secretRef'), ...parts)),
];

/** Checks the rules of `validateCinderVolumeSource` in Kubernetes 1.24. */
export const validateCinder = (
  cinder: { readonly volumeID?: string; readonly secretRef?: Reference },
  path: string,
  parts: readonly (keyof Reference)[],
): FieldErrors => [
  ...missing(cinder, path, 'volumeID'),
  ...(cinder.secretRef === undefined ? [] : missing(cinder.secretRef, child(path, 'secretRef'), ...parts)),
];

interface Iscsi {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: number;
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: Reference;
  readonly initiatorName?: string;
}

/**
 * Checks the rules of `validateISCSIVolumeSource` in Kubernetes 1.24. `wrongStart` is the message for a name
 * of an unknown form.
 */
export function validateIscsi(source: Iscsi, path: string, wrongStart: string): FieldErrors {
  const { iqn = '', lun = 0, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  const errors: FieldError[] = [...missing(source, path, 'targetPortal', 'iqn')];
  if (iqn !== '') errors.push(...validateStorageIdentity(iqn, child(path, 'iqn'), wrongStart));
  errors.push(...within(child(path, 'lun'), lun, 0, 255));
  if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) {
    errors.push(requiredField(child(path, 'secretRef')));
  }
  if (initiatorName === undefined) return errors;
  const field = child(path, 'initiatorname');
  return [...errors, ...validateStorageIdentity(initiatorName, field, wrongStart)];
}

/** Checks of the sources that have the same name in pods and in PersistentVolumes. */
export const SHARED_SOURCES = {
  hostPath: validateHostPath,
  gcePersistentDisk: (source: Source<'gcePersistentDisk'>, path: string) => [
    ...missing(source, path, 'pdName'),
    ...validatePartition(source.partition, path),
  ],
  awsElasticBlockStore: (source: Source<'awsElasticBlockStore'>, path: string) => [
    ...missing(source, path, 'volumeID'),
    ...validatePartition(source.partition, path),
  ],
  nfs: (source: Source<'nfs'>, path: string) => [
    ...missing(source, path, 'server', 'path'),
    ...(posix.isAbsolute(source.path ?? '')
      ? []
      : [invalidField(child(path, 'path'), source.path ?? '', 'must be an absolute path')]),
  ],
  glusterfs: (source: Source<'glusterfs'>, path: string) => missing(source, path, 'endpoints', 'path'),
  flocker: validateFlocker,
  rbd: (source: Source<'rbd'>, path: string) => missing(source, path, 'monitors', 'image'),
  cephfs: (source: Source<'cephfs'>, path: string) => missing(source, path, 'monitors'),
  quobyte: validateQuobyte,
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  vsphereVolume: (source: Source<'vsphereVolume'>, path: string) => missing(source, path, 'volumePath'),
  photonPersistentDisk: (source: Source<'photonPersistentDisk'>, path: string) =>
    missing(source, path, 'pdID'),
  portworxVolume: (source: Source<'portworxVolume'>, path: string) => missing(source, path, 'volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO: (source: Source<'scaleIO'>, path: string) =>
    missing(source, path, 'gateway', 'system', 'volumeName'),
} satisfies { readonly [K in Shared]?: Check<never> };

/** Source names in upstream's error paths, where they differ from the field's name. */
export const ERROR_PATH_NAMES: { readonly [source: string]: string } = {
  gcePersistentDisk: 'persistentDisk',
};
