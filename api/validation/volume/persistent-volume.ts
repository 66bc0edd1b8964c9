import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import { quantityValue } from '../../quantity/quantity.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  PersistentVolume,
  PersistentVolumeSource,
  PersistentVolumeSpec,
} from '../../types/core-v1-persistent-volume.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goDiff } from '../go-text/diff.ts';
import { invalidTyped, notSupportedTyped } from '../go-text/dump.ts';
import { invalidLiteral } from '../go-text/values.ts';
import { IMMUTABLE, checked } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain } from '../names.ts';
import {
  validateAccessModes,
  validatePositiveAmount,
  validateStorageClassName,
  validateVolumeMode,
} from './claim.ts';
import { validateNodeSelector } from '../pod/affinity.ts';
import { validatePortal } from '../pod/volumes.ts';
import { quantityIn } from '../resources.ts';
import {
  ONE_SOURCE,
  SHARED_SOURCES,
  missing,
  validateCinder,
  validateIscsi,
  validateStorageOs,
  withoutBacksteps,
  ERROR_PATH_NAMES,
} from './sources.ts';
import { validateDriverName } from './csi.ts';

type Frozen = DeepReadonly<PersistentVolume>;
type Spec = DeepReadonly<PersistentVolumeSpec> | undefined;

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
type Sources = DeepReadonly<Required<PersistentVolumeSource>>;
type Check<T> = (source: T, path: string, whole: Whole) => FieldErrors;

/** Data that the check of a volume source may read in addition to the source. */
interface Whole {
  readonly vocabulary: Vocabulary;
  readonly name: string;
  readonly spec: NonNullable<Spec>;
  /** Path of the spec. */
  readonly path: string;
}

/**
 * Checks of the volume sources in upstream's order. The first source present is validated, and each further
 * source is an error.
 */
const SOURCES: { readonly [K in keyof Sources]: Check<Sources[K]> } = {
  hostPath: SHARED_SOURCES.hostPath,
  gcePersistentDisk: SHARED_SOURCES.gcePersistentDisk,
  awsElasticBlockStore: SHARED_SOURCES.awsElasticBlockStore,
  glusterfs: (source, path) => [
    ...SHARED_SOURCES.glusterfs(source, path),
    ...validateEndpointsNamespace(source.endpointsNamespace, child(path, 'endpointsNamespace')),
  ],
  flocker: SHARED_SOURCES.flocker,
  nfs: SHARED_SOURCES.nfs,
  rbd: SHARED_SOURCES.rbd,
  quobyte: SHARED_SOURCES.quobyte,
  cephfs: SHARED_SOURCES.cephfs,
  iscsi: (source, path) => [
    ...validateIscsi(source, path, 'must be valid format'),
    ...(source.secretRef === undefined ? [] : missing(source.secretRef, child(path, 'secretRef'), 'name')),
  ],
  cinder: (source, path) => validateCinder(source, path, ['name', 'namespace']),
  fc: SHARED_SOURCES.fc,
  flexVolume: (source, path, { vocabulary }) => SHARED_SOURCES.flexVolume(source, path, vocabulary),
  azureFile: (source, path) => [
    ...missing(source, path, 'secretName', 'shareName'),
    ...(source.secretNamespace === '' ? [requiredField(child(path, 'secretNamespace'))] : []),
  ],
  vsphereVolume: SHARED_SOURCES.vsphereVolume,
  photonPersistentDisk: SHARED_SOURCES.photonPersistentDisk,
  portworxVolume: SHARED_SOURCES.portworxVolume,
  azureDisk: SHARED_SOURCES.azureDisk,
  scaleIO: SHARED_SOURCES.scaleIO,
  local: validateLocal,
  storageos: (source, path) => validateStorageOs(source, path, ['name', 'namespace']),
  csi: validateCsi,
};
const KEYS = Object.keys(SOURCES) as readonly (keyof Sources)[];

/** Source names in upstream's error paths for a second source, where they differ from the field's name. */
const SECOND_SOURCE_NAMES: { readonly [source: string]: string } = { cephfs: 'cephFS' };

function sourcesOf(spec: Spec): readonly (keyof Sources)[] {
  const given = new Set(Object.keys(spec ?? {}));
  return KEYS.filter((source) => given.has(source) && spec?.[source] !== undefined);
}

/** Checks the rules of `ValidatePersistentVolume` in Kubernetes 1.24. */
export function validateVolume(
  { metadata, spec }: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const errors: FieldError[] = [...validateModes(spec, 'spec'), ...validateCapacity(spec)];
  const policy = spec?.persistentVolumeReclaimPolicy ?? '';
  const policyField = 'spec.persistentVolumeReclaimPolicy';
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupportedField(policyField, policy, RECLAIM_POLICIES));
  }
  if (spec?.nodeAffinity && spec.nodeAffinity.required === undefined) {
    errors.push(requiredField('spec.nodeAffinity.required', 'must specify required node constraints'));
  }
  errors.push(...validateNodeSelector(spec?.nodeAffinity?.required, 'spec.nodeAffinity.required'));
  const whole = { vocabulary, name: metadata?.name ?? '', spec: spec ?? {}, path: 'spec' };
  errors.push(...validateSource(whole));
  if (spec?.hostPath?.path === '/' && policy === 'Recycle') {
    errors.push(forbiddenField(policyField, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return [
    ...errors,
    ...validateStorageClassName(spec?.storageClassName, 'spec.storageClassName'),
    ...validateVolumeMode(spec?.volumeMode, 'spec.volumeMode'),
  ];
}

/**
 * Validates a volume embedded in a VolumeAttachment. The volume must be a CSI volume without a claim
 * (`ValidatePersistentVolumeSpec` in Kubernetes 1.24).
 */
export function validateInlineVolume(
  spec: DeepReadonly<PersistentVolumeSpec>,
  path: string,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const inline = 'in the context of inline volumes';
  const at = (field: keyof PersistentVolumeSpec & string): string => child(path, field);
  const refused = (field: keyof PersistentVolumeSpec & string): FieldError =>
    forbiddenField(at(field), `may not be specified ${inline}`);
  const errors: FieldError[] = [];
  if (spec.claimRef !== undefined) errors.push(refused('claimRef'));
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(refused('capacity'));
  if (spec.csi === undefined) errors.push(requiredField(at('csi'), `has to be specified ${inline}`));
  errors.push(...validateModes(spec, path));
  if ((spec.persistentVolumeReclaimPolicy ?? 'Retain') !== 'Retain')
    errors.push(forbiddenField(at('persistentVolumeReclaimPolicy'), `may only be Retain ${inline}`));
  if (spec.nodeAffinity !== undefined) errors.push(refused('nodeAffinity'));
  errors.push(...validateSource({ vocabulary, name: '', spec, path }));
  if (spec.storageClassName) errors.push(refused('storageClassName'));
  if ((spec.volumeMode ?? 'Filesystem') !== 'Filesystem')
    errors.push(
      forbiddenField(at('volumeMode'), `may not specify volumeMode other than Filesystem ${inline}`),
    );
  return errors;
}

const validateModes = (spec: Spec, path: string): FieldErrors => {
  const [modes, field] = [spec?.accessModes ?? [], child(path, 'accessModes')];
  return modes.length === 0 ? [requiredField(field)] : validateAccessModes(modes, field);
};

/** Validates an amount. Upstream's error prints the value in whole units. */
function validateBasicAmount(text: string, field: string): FieldErrors {
  const amount = quantityIn(text);
  if (amount === undefined || quantityValue(amount) >= 0n) return [];
  return [invalidLiteral(field, String(quantityValue(amount)), 'must be a valid resource quantity')];
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
    errors.push(
      ...validateBasicAmount(text, mapKey(field, name)),
      ...validatePositiveAmount(text, mapKey(field, name)),
    );
  }
  return errors;
}

function validateSource(whole: Whole): FieldErrors {
  const { spec, name, path } = whole;
  const [first, ...more] = sourcesOf(spec);
  if (first === undefined) return [requiredField(path, 'must specify a volume type')];
  const judge = <K extends keyof Sources>(key: K): FieldErrors =>
    SOURCES[key](spec[key] as Sources[K], child(path, ERROR_PATH_NAMES[key] ?? key), whole);
  return [
    ...judge(first),
    // Upstream does not count a FlexVolume as a source, and validates it even if another source is present.
    ...more.flatMap((source) =>
      source === 'flexVolume'
        ? judge(source)
        : [forbiddenField(child(path, SECOND_SOURCE_NAMES[source] ?? source), ONE_SOURCE)],
    ),
    ...validatePortal(spec.iscsi, name, 'metadata.name'),
  ];
}

function validateLocal({ path: folder = '' }: Sources['local'], path: string, whole: Whole): FieldErrors {
  const field = child(path, 'path');
  return [
    ...(folder === '' ? [requiredField(field)] : withoutBacksteps(folder, field)),
    ...(whole.spec.nodeAffinity === undefined
      ? [requiredField(child(whole.path, 'nodeAffinity'), 'Local volume requires node affinity')]
      : []),
  ];
}

function validateEndpointsNamespace(namespace: string | undefined, field: string): FieldErrors {
  if (namespace === undefined) return [];
  return namespace === ''
    ? [invalidField(field, '', 'if the endpointnamespace is set, it must be a valid namespace name')]
    : checked(field, namespace, isDns1123Label);
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
] as const;

function validateCsi(csi: Sources['csi'], path: string): FieldErrors {
  return [
    ...validateDriverName(csi.driver ?? '', child(path, 'driver')),
    ...missing(csi, path, 'volumeHandle'),
    ...CSI_SECRETS.flatMap((secret) => {
      const reference = csi[secret];
      if (reference === undefined) return [];
      const { name = '', namespace = '' } = reference;
      const [nameField, namespaceField] = [child(path, secret, 'name'), child(path, secret, 'namespace')];
      return [
        ...(name === '' ? [requiredField(nameField)] : checked(nameField, name, isDns1123Subdomain)),
        ...(namespace === ''
          ? [requiredField(namespaceField)]
          : checked(namespaceField, namespace, isDns1123Label)),
      ];
    }),
  ];
}

/** Checks the rules of `ValidatePersistentVolumeUpdate` in Kubernetes 1.24. */
export function validateVolumeUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [];
  const sourceOf = (spec: Spec): unknown => sourcesOf(spec).map((source) => [source, spec?.[source]]);
  const wanted = withoutNewExpander(next.spec, previous.spec);
  if (!sameValue(sourceOf(wanted), sourceOf(previous.spec))) {
    const field = 'spec.persistentvolumesource';
    const difference = goDiff('core.PersistentVolumeSource', previous.spec, wanted);
    errors.push(forbiddenField(field, `${field} is immutable after creation\n${difference}`));
  }
  if (next.spec?.volumeMode !== previous.spec?.volumeMode) {
    errors.push(invalidField('volumeMode', next.spec?.volumeMode, IMMUTABLE));
  }
  const affinity = previous.spec?.nodeAffinity;
  if (affinity !== undefined && !sameValue(next.spec?.nodeAffinity, affinity)) {
    const now = next.spec?.nodeAffinity;
    errors.push(invalidTyped('nodeAffinity', 'core.VolumeNodeAffinity', now, IMMUTABLE));
  }
  return errors;
}

/**
 * Returns the next spec without an expansion secret that the update adds, because adding one later is
 * allowed.
 */
function withoutNewExpander(next: Spec, previous: Spec): Spec {
  if (!next?.csi || !previous?.csi || previous.csi.controllerExpandSecretRef !== undefined) return next;
  const { controllerExpandSecretRef: _later, ...csi } = next.csi;
  return { ...next, csi };
}
