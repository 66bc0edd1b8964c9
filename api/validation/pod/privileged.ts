import type { ApiObject, DeepReadonly } from '../../kinds/kind.ts';
import { getOwn, isObject } from '../../schema/own.ts';
import { type FieldErrors, child, forbiddenField, index } from '../../status/field-errors.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';

const TEMPLATE = ['spec', 'template', 'spec'];

/** Path to the pod spec, by group and plural of the kinds that contain a pod spec. */
const POD_SPECS: ReadonlyMap<string, readonly string[]> = new Map([
  ['/pods', ['spec']],
  ['/podtemplates', ['template', 'spec']],
  ['/replicationcontrollers', TEMPLATE],
  ['apps/daemonsets', TEMPLATE],
  ['apps/deployments', TEMPLATE],
  ['apps/replicasets', TEMPLATE],
  ['apps/statefulsets', TEMPLATE],
  ['batch/jobs', TEMPLATE],
  ['batch/cronjobs', ['spec', 'jobTemplate', ...TEMPLATE]],
]);

/**
 * Rejects privileged containers (`ValidateSecurityContext` in Kubernetes 1.24). The API server calls it if it
 * does not allow privileged containers.
 */
export function validatePrivileges(
  { group, plural }: { readonly group: string; readonly plural: string },
  object: DeepReadonly<ApiObject>,
): FieldErrors {
  const path = POD_SPECS.get(`${group}/${plural}`);
  if (path === undefined) return [];
  const found = path.reduce<unknown>(
    (value, name) => (isObject(value) ? getOwn(value, name) : undefined),
    object,
  );
  const spec = (found ?? {}) as DeepReadonly<Partial<PodSpec>>;
  return (['containers', 'initContainers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap(({ securityContext }, at) =>
      securityContext?.privileged === true
        ? [
            forbiddenField(
              child(index(child(path.join('.'), field), at), 'securityContext', 'privileged'),
              'disallowed by cluster policy',
            ),
          ]
        : [],
    ),
  );
}
