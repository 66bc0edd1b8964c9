import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notFoundField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Container } from '../../types/core-v1-container.ts';
import type { Volumes } from './volumes.ts';
import { validateDescendingPath, withoutBacksteps } from '../volume/sources.ts';

type Frozen = DeepReadonly<Container>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

/** Checks the rules of `ValidateVolumeMounts` in Kubernetes 1.24. */
export function validateMounts(
  { volumeMounts: mounts = [], volumeDevices: devices = [], securityContext }: Frozen,
  volumes: Volumes,
  path: string,
): FieldErrors {
  const paths = new Set<string>();
  const asDevices = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath = '' }) => devicePath));
  return mounts.flatMap((mount, at) => {
    const each = index(path, at);
    const { name = '', mountPath = '', subPath = '', subPathExpr = '', mountPropagation } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(child(each, 'name')));
    if (!volumes.has(name)) errors.push(notFoundField(child(each, 'name'), name));
    if (mountPath === '') errors.push(requiredField(child(each, 'mountPath')));
    if (paths.has(mountPath))
      errors.push(invalidField(child(each, 'mountPath'), mountPath, 'must be unique'));
    paths.add(mountPath);
    if (asDevices.has(name)) {
      errors.push(invalidField(child(each, 'name'), name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mountPath)) {
      const detail = 'must not already exist as a path in volumeDevices';
      errors.push(invalidField(child(each, 'mountPath'), mountPath, detail));
    }
    // Upstream's error paths for an invalid sub-path and an invalid propagation name the list instead of the
    // mount.
    if (subPath !== '') errors.push(...validateDescendingPath(subPath, child(path, 'subPath')));
    if (subPathExpr !== '') {
      const field = child(each, 'subPathExpr');
      const detail = 'subPathExpr and subPath are mutually exclusive';
      if (subPath !== '') errors.push(invalidField(field, subPathExpr, detail));
      errors.push(...validateDescendingPath(subPathExpr, child(path, 'subPathExpr')));
    }
    if (mountPropagation !== undefined && !PROPAGATIONS.includes(mountPropagation)) {
      errors.push(notSupportedField(child(path, 'mountPropagation'), mountPropagation, PROPAGATIONS));
    }
    if (mountPropagation === 'Bidirectional' && securityContext?.privileged !== true) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers';
      errors.push(forbiddenField(child(path, 'mountPropagation'), detail));
    }
    return errors;
  });
}

/**
 * Checks the rules of `ValidateVolumeDevices` in Kubernetes 1.24: only PersistentVolumeClaims can be block
 * devices.
 */
export function validateDevices(
  { volumeDevices: devices = [], volumeMounts: mounts = [] }: Frozen,
  volumes: Volumes,
  path: string,
): FieldErrors {
  const [paths, names] = [new Set<string>(), new Set<string>()];
  const asMounts = new Set(mounts.map(({ name }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath = '' }) => mountPath));
  return devices.flatMap((device, at) => {
    const each = index(path, at);
    const [nameField, pathField] = [child(each, 'name'), child(each, 'devicePath')];
    const { name = '', devicePath = '' } = device;
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(nameField));
    if (names.has(name)) errors.push(invalidField(nameField, name, 'must be unique'));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = 'can only use volume source type of PersistentVolumeClaim for block mode';
      errors.push(invalidField(nameField, name, detail));
    }
    if (!volume) errors.push(notFoundField(nameField, name));
    if (devicePath === '') errors.push(requiredField(pathField));
    if (paths.has(devicePath)) errors.push(invalidField(pathField, devicePath, 'must be unique'));
    if (withoutBacksteps(devicePath, pathField).length > 0) {
      errors.push(invalidField(pathField, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (asMounts.has(name)) {
      errors.push(invalidField(nameField, name, 'must not already exist in volumeMounts'));
    }
    if (mountPaths.has(devicePath)) {
      const detail = 'must not already exist as a path in volumeMounts';
      errors.push(invalidField(pathField, devicePath, detail));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
