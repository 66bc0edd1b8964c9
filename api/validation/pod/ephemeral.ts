import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  notFoundField,
  requiredField,
} from '../../status/field-errors.ts';
import type { EphemeralContainer } from '../../types/core-v1-container.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';
import { validateContainers } from './containers.ts';
import type { Volumes } from './volumes.ts';

/**
 * Fields that an ephemeral container cannot have, because the scheduling and readiness of the running pod
 * rely on them.
 */
const NOT_LATER = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const REFUSED = 'cannot be set for an Ephemeral Container';

/**
 * Checks the rules of `validateEphemeralContainers` in Kubernetes 1.24. Like upstream, the error paths of
 * common container fields have a second index.
 */
export function validateEphemeralContainers(
  spec: DeepReadonly<PodSpec>,
  volumes: Volumes,
  path: string,
): FieldErrors {
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name ?? '');
  const targets = new Set(others);
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, at) => {
    const each = index(path, at);
    const { name = '', targetContainerName = '', image = '' } = container;
    const errors: FieldError[] = [];
    if (targetContainerName !== '' && !targets.has(targetContainerName)) {
      errors.push(notFoundField(child(each, 'targetContainerName'), targetContainerName));
    }
    if (name === '') return [...errors, requiredField(each, 'ephemeral container requires a name')];
    errors.push(...validateContainers([container], volumes, each));
    if (image.trim() !== image) {
      const field = child(index(each, 0), 'image');
      errors.push(invalidField(field, image, 'must not have leading or trailing whitespace'));
    }
    if (names.has(name)) errors.push(duplicateField(child(each, 'name'), name));
    names.add(name);
    return [...errors, ...validateRestraint(container, each)];
  });
}

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/**
 * Rejects ports, probes, similar fields and sub-paths of mounts. Nothing would remove the bind mounts of
 * sub-paths.
 */
const validateRestraint = (container: DeepReadonly<EphemeralContainer>, path: string): FieldErrors => [
  ...NOT_LATER.filter((field) => isSet(container[field])).map((field) =>
    forbiddenField(child(path, field), REFUSED),
  ),
  ...(container.volumeMounts ?? []).flatMap((mount, at) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((field) => mount[field])
      .map((field) => forbiddenField(child(index(child(path, 'volumeMounts'), at), field), REFUSED)),
  ),
];
