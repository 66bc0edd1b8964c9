import { compareQuantities, quantityOf } from '../../quantity/quantity.ts';
import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import { claimLifecycle } from '../../lifecycles/persistent-volume-claim.ts';
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
import type { PersistentVolumeClaim } from '../../types/core-v1-persistent-volume.ts';
import type { TypedLocalObjectReference } from '../../types/core-v1-shared.ts';
import type { PersistentVolumeClaimSpec } from '../../types/core-v1-volume.ts';
import { goDiff } from '../go-text/diff.ts';
import { goPointer, goString, goStruct, invalidLiteral } from '../go-text/values.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { IMMUTABLE, checked } from '../metadata.ts';
import { isDns1123Subdomain } from '../names.ts';
import { quantityIn, validateResourceName } from '../resources.ts';

type Frozen = DeepReadonly<PersistentVolumeClaim>;
type Spec = DeepReadonly<PersistentVolumeClaimSpec> | undefined;

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];
const VOLUME_MODES = ['Block', 'Filesystem'];
const SETTLED = 'spec is immutable after creation except resources.requests for bound claims';

/**
 * Validates access modes. `ReadWriteOncePod` is rejected, because its feature gate is off by default in
 * Kubernetes 1.24.
 */
export function validateAccessModes(modes: readonly string[] | undefined, path: string): FieldErrors {
  const given = modes ?? [];
  if (given.length === 0) return [requiredField(path, 'at least 1 access mode is required')];
  return given
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupportedField(path, mode, ACCESS_MODES));
}

/** Validates the name of a StorageClass; the empty string stands for no StorageClass. */
export const validateStorageClassName = (name: string | undefined, field: string): FieldErrors =>
  name ? checked(field, name, isDns1123Subdomain) : [];

/** Validates the mode of a volume. */
export const validateVolumeMode = (mode: string | undefined, path: string): FieldErrors =>
  mode === undefined || VOLUME_MODES.includes(mode) ? [] : [notSupportedField(path, mode, VOLUME_MODES)];

/** Validates that an amount is positive. */
export function validatePositiveAmount(text: string, path: string): FieldErrors {
  const amount = quantityIn(text);
  return amount !== undefined && compareQuantities(amount, quantityOf(0)) > 0
    ? []
    : [invalidField(path, text, 'must be greater than zero')];
}

/** Checks the rules of `ValidatePersistentVolumeClaim` in Kubernetes 1.24. */
export const validateClaim = ({ spec }: Frozen): FieldErrors => validateClaimSpec(spec, 'spec');

/** Validates the spec of a PersistentVolumeClaim or of a template for one. */
export function validateClaimSpec(spec: Spec, path: string): FieldErrors {
  const storage = spec?.resources?.requests?.['storage'];
  const size = mapKey(child(path, 'resources'), 'storage');
  const errors: FieldError[] = [
    ...validateAccessModes(spec?.accessModes, child(path, 'accessModes')),
    ...validateLabelSelector(spec?.selector, child(path, 'selector')),
  ];
  if (storage === undefined) errors.push(requiredField(size));
  else {
    errors.push(...validateResourceName('storage', size), ...validatePositiveAmount(storage, size));
  }
  const className = child(path, 'storageClassName');
  errors.push(
    ...validateStorageClassName(spec?.storageClassName, className),
    ...validateVolumeMode(spec?.volumeMode, child(path, 'volumeMode')),
    ...validateSource(spec?.dataSource, child(path, 'dataSource')),
    ...validateSource(spec?.dataSourceRef, child(path, 'dataSourceRef')),
  );
  if (spec?.dataSource && spec.dataSourceRef && !sameValue(spec.dataSource, spec.dataSourceRef)) {
    // Upstream prints the path of the field instead of its value.
    const shown = goStruct('field.Path', {
      name: goString('dataSource'),
      index: goString(''),
      parent: goPointer('field.Path', path),
    });
    errors.push(invalidLiteral(path, shown, 'must match dataSourceRef'));
  }
  return errors;
}

function validateSource(
  source: DeepReadonly<TypedLocalObjectReference> | undefined,
  path: string,
): FieldErrors {
  if (source === undefined) return [];
  const { kind = '', name = '' } = source;
  const group = source.apiGroup ?? '';
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredField(child(path, 'name')));
  if (kind === '') errors.push(requiredField(child(path, 'kind')));
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalidField(path, kind, detail));
  }
  return errors;
}

/**
 * Checks the rules of `ValidatePersistentVolumeClaimUpdate` in Kubernetes 1.24. The requested size of a bound
 * claim may grow, and an unbound claim may be given a volume.
 */
export function validateClaimUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [];
  const before = previous.spec?.resources?.requests?.['storage'];
  const now = next.spec?.resources?.requests?.['storage'];
  const mayBind = (previous.spec?.volumeName ?? '') === '';
  const isBound = claimLifecycle.stateOf(previous) === 'Bound';
  if (
    !sameValue(immutableParts(next.spec, mayBind, isBound), immutableParts(previous.spec, mayBind, isBound))
  ) {
    const allowed = {
      ...next.spec,
      ...(isBound && { resources: grownOnly(next.spec, before) }),
    };
    const former = mayBind ? { ...previous.spec, volumeName: next.spec?.volumeName } : previous.spec;
    const difference = goDiff('core.PersistentVolumeClaimSpec', former, allowed);
    errors.push(forbiddenField('spec', `${SETTLED}\n${difference}`));
  }
  const [newSize, oldSize] = [quantityIn(now ?? '0'), quantityIn(before ?? '0')];
  if (newSize && oldSize && compareQuantities(newSize, oldSize) < 0) {
    errors.push(
      forbiddenField('spec.resources.requests.storage', 'field can not be less than previous value'),
    );
  }
  if (next.spec?.volumeMode !== previous.spec?.volumeMode) {
    // Upstream's error path omits `spec`.
    errors.push(invalidField('volumeMode', next.spec?.volumeMode, IMMUTABLE));
  }
  return errors;
}

/**
 * Returns the requested resources with the previous size, so that a change of the size is not a difference.
 */
const grownOnly = (spec: Spec, storage: string | undefined): object => ({
  ...spec?.resources,
  requests: { ...spec?.resources?.requests, storage },
});

function immutableParts(spec: Spec, mayBind: boolean, mayGrow: boolean): unknown {
  const { volumeName, resources, dataSourceRef: _reference, ...rest } = spec ?? {};
  const { storage: _storage, ...requests } = resources?.requests ?? {};
  return {
    ...rest,
    ...(mayBind ? {} : { volumeName }),
    resources: mayGrow ? { ...resources, requests } : resources,
  };
}

/** Checks the rules of `ValidatePersistentVolumeClaimStatusUpdate` in Kubernetes 1.24. */
export function validateClaimStatus({ status }: Frozen): FieldErrors {
  const errors: FieldError[] = (status?.conditions ?? []).flatMap(({ type }, at) =>
    type ? [] : [requiredField(`status.conditions[${at}].type`)],
  );
  for (const [name, text] of Object.entries(status?.capacity ?? {})) {
    const amount = quantityIn(text);
    const field = mapKey('status.capacity', name);
    if (amount !== undefined && compareQuantities(amount, quantityOf(0)) < 0) {
      errors.push(invalidField(field, text, 'must be greater than or equal to 0'));
    }
  }
  return errors;
}
