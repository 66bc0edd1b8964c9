import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Volume, VolumeSource } from '../../types/core-v1-volume.ts';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
} from '../../types/core-v1-volume-files.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { checked, validateAnnotations, validateLabels } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain } from '../names.ts';
import { validateClaimSpec } from '../volume/claim.ts';
import { validateFieldRef, validateResourceRef, VOLUME_FIELDS } from './references.ts';
import {
  ONE_SOURCE,
  SHARED_SOURCES,
  missing,
  validateCinder,
  validateDescendingPath,
  validateIscsi,
  validateStorageOs,
  ERROR_PATH_NAMES,
} from '../volume/sources.ts';
import { validateDriverName } from '../volume/csi.ts';

type Sources = DeepReadonly<Required<VolumeSource>>;
type Check<T> = (source: T, path: string, whole: Whole) => FieldErrors;

/** Data that the check of a volume source may read in addition to the source. */
interface Whole {
  readonly vocabulary: Vocabulary;
  /** Name of the volume. */
  readonly name: string;
  /** Name of the pod; `''` in a template. */
  readonly pod: string;
}

const MAX_MODE = 0o777;
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const PORTAL_LIMIT = 64;
const TOO_LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
/** Metadata fields that the template of an ephemeral volume's PersistentVolumeClaim may have. */
const OF_TEMPLATES = new Set(['annotations', 'labels']);
const ON_TEMPLATES = 'cannot be set for an ephemeral volume';

/**
 * Checks of the volume sources in upstream's order. The first source present is validated, and each further
 * source is an error.
 */
const SOURCES: { readonly [K in keyof Sources]: Check<Sources[K]> } = {
  emptyDir: ({ sizeLimit = '' }, path) =>
    sizeLimit.startsWith('-')
      ? [forbiddenField(child(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : [],
  hostPath: SHARED_SOURCES.hostPath,
  gitRepo: (source, path) => [
    ...missing(source, path, 'repository'),
    ...validateDescendingPath(source.directory ?? '', child(path, 'directory')),
  ],
  gcePersistentDisk: SHARED_SOURCES.gcePersistentDisk,
  awsElasticBlockStore: SHARED_SOURCES.awsElasticBlockStore,
  secret: (source, path) => [...missing(source, path, 'secretName'), ...validateFiles(source, path)],
  nfs: SHARED_SOURCES.nfs,
  iscsi: (source, path) => validateIscsi(source, path, 'must be valid format starting with iqn, eui, or naa'),
  glusterfs: SHARED_SOURCES.glusterfs,
  flocker: SHARED_SOURCES.flocker,
  persistentVolumeClaim: (source, path) => missing(source, path, 'claimName'),
  rbd: SHARED_SOURCES.rbd,
  cinder: (source, path) => validateCinder(source, path, ['name']),
  cephfs: SHARED_SOURCES.cephfs,
  quobyte: SHARED_SOURCES.quobyte,
  downwardAPI: (source, path) => [
    ...validateMode(source.defaultMode, child(path, 'defaultMode')),
    ...validateDownwardFiles(source.items, path),
  ],
  fc: SHARED_SOURCES.fc,
  flexVolume: (source, path, { vocabulary }) => SHARED_SOURCES.flexVolume(source, path, vocabulary),
  configMap: (source, path) => [...missing(source, path, 'name'), ...validateFiles(source, path)],
  azureFile: (source, path) => missing(source, path, 'secretName', 'shareName'),
  vsphereVolume: SHARED_SOURCES.vsphereVolume,
  photonPersistentDisk: SHARED_SOURCES.photonPersistentDisk,
  portworxVolume: SHARED_SOURCES.portworxVolume,
  azureDisk: SHARED_SOURCES.azureDisk,
  storageos: (source, path) => validateStorageOs(source, path, ['name']),
  projected: validateProjected,
  scaleIO: SHARED_SOURCES.scaleIO,
  csi: validateCsi,
  ephemeral: validateEphemeral,
};

const SOURCES_IN_ORDER = Object.keys(SOURCES) as (keyof Sources)[];

/** Source names in upstream's error paths for a second source, where they differ from the field's name. */
const SECOND_SOURCE_NAMES: { readonly [source: string]: string } = {
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};

/** The valid volumes of a pod by name, and the errors of the invalid volumes. */
interface CheckedVolumes {
  readonly errors: FieldErrors;
  readonly volumes: Volumes;
}
/** Valid volumes of a pod by name. */
export type Volumes = ReadonlyMap<string, DeepReadonly<Volume>>;

/**
 * Checks the rules of `ValidateVolumes` in Kubernetes 1.24. `pod` is the name of the pod; `''` in a template.
 */
export function validateVolumes(
  volumes: readonly DeepReadonly<Volume>[],
  path: string,
  pod: string,
  vocabulary: Vocabulary,
): CheckedVolumes {
  const sound = new Map<string, DeepReadonly<Volume>>();
  const made = new Set(
    volumes.filter(({ ephemeral }) => pod !== '' && ephemeral).map(({ name }) => `${pod}-${name}`),
  );
  const errors = volumes.flatMap((volume, at) => {
    const each = index(path, at);
    const name = volume.name ?? '';
    const field = child(each, 'name');
    const found: FieldError[] = [...validateVolumeSource(volume, each, { vocabulary, name, pod })];
    if (name === '') found.push(requiredField(field));
    else found.push(...checked(field, name, isDns1123Label));
    if (sound.has(name)) found.push(duplicateField(field, name));
    if (found.length === 0) sound.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName ?? '';
    if (made.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      found.push(invalidField(child(each, 'persistentVolumeClaim', 'claimName'), claim, detail));
    }
    return found;
  });
  return { errors, volumes: sound };
}

function validateVolumeSource(volume: DeepReadonly<Volume>, path: string, whole: Whole): FieldErrors {
  const errors: FieldError[] = [];
  let count = 0;
  const judge = <K extends keyof Sources>(key: K): void => {
    const source = volume[key] as Sources[K] | undefined;
    if (source === undefined) return;
    count += 1;
    if (count > 1) errors.push(forbiddenField(child(path, SECOND_SOURCE_NAMES[key] ?? key), ONE_SOURCE));
    else errors.push(...SOURCES[key](source, child(path, ERROR_PATH_NAMES[key] ?? key), whole));
    if (key === 'iscsi') errors.push(...validatePortal(volume.iscsi, whole.name, child(path, 'name')));
  };
  const given = new Set(Object.keys(volume));
  for (const key of SOURCES_IN_ORDER) if (given.has(key)) judge(key);
  return count === 0 ? [requiredField(path, 'must specify a volume type')] : errors;
}

/** Validates the total length of an initiator name and its portal, which together identify the initiator. */
export const validatePortal = (
  iscsi: { readonly initiatorName?: string; readonly targetPortal?: string } | undefined,
  name: string,
  field: string,
): FieldErrors =>
  iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal ?? ''}`.length > PORTAL_LIMIT
    ? [invalidField(field, name, TOO_LONG_PORTAL)]
    : [];

function validateCsi({ driver = '', nodePublishSecretRef }: Sources['csi'], path: string): FieldErrors {
  const errors: FieldError[] = [...validateDriverName(driver, child(path, 'driver'))];
  if (nodePublishSecretRef === undefined) return errors;
  const { name = '' } = nodePublishSecretRef;
  return name === ''
    ? [...errors, requiredField(child(path, 'nodePublishSecretRef ', 'name'))]
    : [...errors, ...checked(child(path, 'name'), name, isDns1123Subdomain)];
}

function validateEphemeral(
  { volumeClaimTemplate: template }: Sources['ephemeral'],
  path: string,
  { name, pod }: Whole,
): FieldErrors {
  const field = child(path, 'volumeClaimTemplate');
  const errors: FieldError[] = [];
  if (template === undefined) errors.push(requiredField(field));
  else {
    const metadata = child(field, 'metadata');
    errors.push(
      ...validateAnnotations(template.metadata?.annotations, child(metadata, 'annotations')),
      ...validateLabels(template.metadata?.labels, child(metadata, 'labels')),
      ...Object.entries(template.metadata ?? {})
        .filter(([key, held]) => !OF_TEMPLATES.has(key) && held !== null && held !== undefined)
        .map(([key]) => forbiddenField(child(metadata, goFieldName(key)), ON_TEMPLATES)),
      ...validateClaimSpec(template.spec, child(field, 'spec')),
    );
  }
  if (pod === '' || name === '') return errors;
  const claim = `${pod}-${name}`;
  const complaints = isDns1123Subdomain(claim).map((message) =>
    invalidField(child(path, 'name'), name, `PVC name ${JSON.stringify(claim)}: ${message}`),
  );
  return [...errors, ...complaints];
}

/** Returns a field name in Go's form, as in upstream's error: `UID`, `GenerateName`. */
const goFieldName = (key: string): string =>
  key === 'uid' ? 'UID' : `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;

/** Validates the files of a Secret or ConfigMap volume. */
const validateFiles = (
  { defaultMode, items }: { readonly defaultMode?: number; readonly items?: Items },
  path: string,
): FieldErrors => [
  ...validateMode(defaultMode, child(path, 'defaultMode')),
  ...validateItems(items, child(path, 'items')),
];

type Items = readonly DeepReadonly<KeyToPath>[] | undefined;

const validateMode = (mode: number | undefined, field: string): FieldErrors =>
  mode === undefined || (mode >= 0 && mode <= MAX_MODE) ? [] : [invalidField(field, mode, MODE)];

/**
 * Validates a relative path. Names such as `..data` are rejected, because the kubelet's atomic writer uses
 * them.
 */
function validateFilePath(path: string, field: string): FieldErrors {
  if (path === '') return [requiredField(field)];
  const errors = validateDescendingPath(path, field);
  return path.startsWith('..') && !path.startsWith('../')
    ? [...errors, invalidField(field, path, "must not start with '..'")]
    : errors;
}

const validateItems = (items: Items, path: string): FieldErrors =>
  (items ?? []).flatMap((item, at) => validateItem(item, index(path, at)));

const validateItem = (item: DeepReadonly<KeyToPath>, path: string): FieldErrors => [
  ...(item.key ? [] : [requiredField(child(path, 'key'))]),
  ...validateFilePath(item.path ?? '', child(path, 'path')),
  ...validateMode(item.mode, child(path, 'mode')),
];

/** Validates files of the downward API. Upstream's error paths name the source instead of the item. */
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
  const paths = new Set<string>();
  /** Reports a second file at the same path. `shown` is the value in upstream's error. */
  const conflicts = (file: string | undefined, shown: string): FieldErrors => {
    if (!file) return [];
    if (paths.has(file)) return [invalidField(path, shown, 'conflicting duplicate paths')];
    paths.add(file);
    return [];
  };
  (projected.sources ?? []).forEach((source, at) => {
    const each = index(child(path, 'sources'), at);
    const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
    for (const [key, files] of Object.entries({ secret, configMap })) {
      if (files === undefined) continue;
      const { name = '', items = [] } = files;
      if (name === '') errors.push(requiredField(child(each, key, 'name')));
      items.forEach((item, place) => {
        errors.push(...validateItem(item, index(child(each, key, 'items'), place)));
        errors.push(...conflicts(item.path, name));
      });
    }
    for (const file of downwardAPI?.items ?? []) {
      errors.push(...validateDownwardFiles([file], child(each, 'downwardAPI')));
      errors.push(...conflicts(file.path, file.path ?? ''));
    }
    if (token) errors.push(...validateToken(token, child(each, 'serviceAccountToken'), path));
    const given = [secret, configMap, downwardAPI, token].filter((one) => one !== undefined);
    if (given.length > 1) errors.push(forbiddenField(each, ONE_SOURCE));
  });
  return errors;
}

/**
 * Validates a ServiceAccount token source. If its path is missing, upstream's error has the path of the
 * volume.
 */
function validateToken(
  { expirationSeconds: seconds = 0, path: file = '' }: DeepReadonly<ServiceAccountTokenProjection>,
  path: string,
  volume: string,
): FieldErrors {
  const field = child(path, 'expirationSeconds');
  const errors: FieldError[] = [];
  if (seconds < 600) {
    errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > 2 ** 32) {
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return file === '' ? [...errors, requiredField(child(volume, 'path'))] : errors;
}
