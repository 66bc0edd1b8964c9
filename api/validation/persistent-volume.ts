import { posix } from 'node:path';
import { sameValue } from '../kinds/carry-over.ts';
import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import {
  type PersistentVolume,
  type PersistentVolumeSpec,
  PersistentVolumeSource,
} from '../types/core-v1-persistent-volume.ts';
import { invalidTyped, notSupportedTyped } from './go-dump.ts';
import { IMMUTABLE } from './metadata.ts';
import { isDns1123Subdomain } from './names.ts';
import {
  validateAccessModes,
  validatePositiveAmount,
  validateVolumeMode,
} from './persistent-volume-claim.ts';
import { validateNodeSelector } from './pod-affinity.ts';
import { withoutBacksteps } from './pod-volumes.ts';
import { validateStorageClassName } from './storage-class-name.ts';

type Frozen = DeepReadonly<PersistentVolume>;
type Spec = DeepReadonly<PersistentVolumeSpec> | undefined;

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const SOURCES = Object.keys(PersistentVolumeSource.fields) as readonly (keyof PersistentVolumeSpec)[];

/** Fields without which a source means nothing. */
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map([
  ['awsElasticBlockStore', ['volumeID']],
  ['azureDisk', ['diskName', 'diskURI']],
  ['azureFile', ['secretName', 'shareName']],
  ['cephfs', ['monitors']],
  ['cinder', ['volumeID']],
  ['csi', ['driver', 'volumeHandle']],
  ['flexVolume', ['driver']],
  ['gcePersistentDisk', ['pdName']],
  ['glusterfs', ['endpoints', 'path']],
  ['hostPath', ['path']],
  ['iscsi', ['targetPortal', 'iqn']],
  ['local', ['path']],
  ['nfs', ['server', 'path']],
  ['photonPersistentDisk', ['pdID']],
  ['portworxVolume', ['volumeID']],
  ['quobyte', ['registry', 'volume']],
  ['rbd', ['monitors', 'image']],
  ['scaleIO', ['gateway', 'system', 'volumeName']],
  ['storageos', ['volumeName']],
  ['vsphereVolume', ['volumePath']],
]);

const sourcesOf = (spec: Spec): readonly (keyof PersistentVolumeSpec)[] =>
  SOURCES.filter((source) => spec?.[source] !== undefined);

/** Release 1.24, `ValidatePersistentVolume`. */
export function validateVolume({ spec }: Frozen): FieldErrors {
  const modes = spec?.accessModes ?? [];
  const errors: FieldError[] = [
    ...(modes.length === 0
      ? [requiredField('spec.accessModes')]
      : validateAccessModes(modes, 'spec.accessModes')),
    ...validateCapacity(spec),
  ];
  const policy = spec?.persistentVolumeReclaimPolicy ?? '';
  const policyField = 'spec.persistentVolumeReclaimPolicy';
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupportedField(policyField, policy, RECLAIM_POLICIES));
  }
  errors.push(...validateSource(spec));
  if (spec?.hostPath?.path === '/' && policy === 'Recycle') {
    errors.push(forbiddenField(policyField, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (spec?.local && spec.nodeAffinity === undefined) {
    errors.push(requiredField('metadata.annotations', 'Local volume requires node affinity'));
  }
  if (spec?.nodeAffinity && spec.nodeAffinity.required === undefined) {
    errors.push(requiredField('spec.nodeAffinity.required', 'must specify required node constraints'));
  }
  errors.push(...validateNodeSelector(spec?.nodeAffinity?.required, 'spec.nodeAffinity.required'));
  return [
    ...errors,
    ...validateStorageClassName(spec?.storageClassName, 'spec.storageClassName'),
    ...validateVolumeMode(spec?.volumeMode, 'spec.volumeMode'),
  ];
}

function validateCapacity(spec: Spec): FieldErrors {
  const field = 'spec.capacity';
  const capacity = spec?.capacity ?? {};
  const names = Object.keys(capacity);
  const errors: FieldError[] = [];
  if (names.length === 0) errors.push(requiredField(field));
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupportedTyped(field, 'core.ResourceList', spec?.capacity, ['storage']));
  for (const [name, text] of Object.entries(capacity)) {
    errors.push(...validatePositiveAmount(text, mapKey(field, name)));
  }
  return errors;
}

function validateSource(spec: Spec): FieldErrors {
  const [first, ...more] = sourcesOf(spec);
  if (first === undefined) return [requiredField('spec', 'must specify a volume type')];
  const given = new Map<string, unknown>(Object.entries(spec?.[first] as object));
  const isMissing = (field: string): boolean => {
    const held = given.get(field);
    return !held || (Array.isArray(held) && held.length === 0);
  };
  return [
    ...(REQUIRED.get(first) ?? [])
      .filter(isMissing)
      .map((field) => requiredField(child('spec', first, field))),
    ...validatePaths(spec),
    ...validateCsi(spec?.csi),
    ...more.map((source) => forbiddenField(child('spec', source), 'may not specify more than 1 volume type')),
  ];
}

function validatePaths(spec: Spec): FieldErrors {
  const share = spec?.nfs?.path ?? '';
  return [
    ...withoutBacksteps(spec?.hostPath?.path ?? '', 'spec.hostPath.path'),
    ...withoutBacksteps(spec?.local?.path ?? '', 'spec.local.path'),
    ...(share === '' || posix.isAbsolute(share)
      ? []
      : [invalidField('spec.nfs.path', share, 'must be an absolute path')]),
  ];
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
] as const;

function validateCsi(csi: NonNullable<Spec>['csi']): FieldErrors {
  const driver = csi?.driver ?? '';
  const wrong = driver === '' ? [] : isDns1123Subdomain(driver.toLowerCase());
  return [
    ...wrong.map((message) => invalidField('spec.csi.driver', driver, message)),
    ...CSI_SECRETS.flatMap((secret) =>
      (['name', 'namespace'] as const)
        .filter((part) => csi?.[secret] !== undefined && !csi[secret][part])
        .map((part) => requiredField(child('spec.csi', secret, part))),
    ),
  ];
}

/** Release 1.24, `ValidatePersistentVolumeUpdate`. A difference in Go's notation that upstream adds is left out. */
export function validateVolumeUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [];
  const sourceOf = (spec: Spec): unknown => sourcesOf(spec).map((source) => [source, spec?.[source]]);
  if (!sameValue(sourceOf(next.spec), sourceOf(previous.spec))) {
    const field = 'spec.persistentvolumesource';
    errors.push(forbiddenField(field, `${field} is immutable after creation`));
  }
  if (next.spec?.volumeMode !== previous.spec?.volumeMode) {
    errors.push(invalidField('spec.volumeMode', next.spec?.volumeMode, IMMUTABLE));
  }
  const affinity = previous.spec?.nodeAffinity;
  if (affinity !== undefined && !sameValue(next.spec?.nodeAffinity, affinity)) {
    const now = next.spec?.nodeAffinity;
    errors.push(invalidTyped('spec.nodeAffinity', 'core.VolumeNodeAffinity', now, IMMUTABLE));
  }
  return errors;
}
