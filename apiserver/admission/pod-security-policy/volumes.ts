import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { type FieldError, type FieldErrors, child, index, invalidField } from '../../../api/status/index.ts';
import type { Volume } from '../../../api/types/core-v1-volume.ts';
import type { ProjectedVolumeSource } from '../../../api/types/core-v1-volume-files.ts';
import type { PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import { podContainers } from '../pod-containers.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec>;
type SeenVolume = DeepReadonly<Volume>;

/** Volume types whose name in a policy differs from the name of the volume's field. */
const POLICY_NAMES: { readonly [field: string]: string } = { cephfs: 'cephFS' };

/** Validates the volumes of a pod: types, host paths, drivers and read-only mounts. */
export const validateVolumes = (
  spec: Spec,
  pod: DeepReadonly<PodSpec>,
  rootCaConfigMap: string,
): FieldErrors =>
  (pod.volumes ?? []).flatMap((volume, at) => {
    const path = index('spec.volumes', at);
    const source = Object.keys(volume).find((field) => field !== 'name');
    if (source === undefined) return [invalidField(path, '', 'unknown volume type for volume')];
    const type = POLICY_NAMES[source] ?? source;
    if (!allowsType(spec, type, volume, rootCaConfigMap))
      return [invalidField(path, type, `${type} volumes are not allowed to be used`)];
    return validateSource(spec, pod, volume, path);
  });

function allowsType(
  { volumes = [] }: Spec,
  type: string,
  { projected }: SeenVolume,
  rootCaConfigMap: string,
): boolean {
  const allowed: readonly string[] = volumes;
  if (allowed.includes('*') || allowed.includes(type)) return true;
  // A policy that allows Secret volumes also allows the token volume of service accounts, which replaced a
  // Secret volume.
  return projected !== undefined && allowed.includes('secret') && isTokenVolume(projected, rootCaConfigMap);
}

const isTokenVolume = ({ sources }: DeepReadonly<ProjectedVolumeSource>, rootCaConfigMap: string): boolean =>
  (sources ?? []).every(({ serviceAccountToken: token, configMap, downwardAPI }) => {
    if (token === undefined && configMap === undefined && downwardAPI === undefined) return false;
    if (token !== undefined && (token.path !== 'token' || (token.audience ?? '') !== '')) return false;
    if (configMap !== undefined && configMap.name !== rootCaConfigMap) return false;
    return (downwardAPI?.items ?? []).every(
      ({ path, fieldRef }) =>
        path === 'namespace' && fieldRef?.apiVersion === 'v1' && fieldRef.fieldPath === 'metadata.namespace',
    );
  });

function validateSource(
  spec: Spec,
  pod: DeepReadonly<PodSpec>,
  { name, hostPath, flexVolume, csi }: SeenVolume,
  path: string,
): FieldErrors {
  if (hostPath !== undefined) {
    const access = hostAccess(spec, hostPath.path);
    if (access === 'none')
      return [
        invalidField(child(path, 'hostPath', 'pathPrefix'), hostPath.path, 'is not allowed to be used'),
      ];
    return access === 'read' ? writableMounts(pod, name) : [];
  }
  const refuses = (allowed: readonly { driver: string }[] | undefined, driver: string): boolean =>
    (allowed?.length ?? 0) > 0 && allowed?.every((each) => each.driver !== driver) === true;
  if (flexVolume !== undefined && refuses(spec.allowedFlexVolumes, flexVolume.driver))
    return [
      invalidField(child(path, 'driver'), flexVolume.driver, 'Flexvolume driver is not allowed to be used'),
    ];
  const drivers = spec.allowedCSIDrivers?.map((each) => ({ driver: each.name }));
  if (csi !== undefined && refuses(drivers, csi.driver))
    return [
      invalidField(child(path, 'csi', 'driver'), csi.driver, 'Inline CSI driver is not allowed to be used'),
    ];
  return [];
}

/** Returns the access to a host path that the policy allows. */
function hostAccess({ allowedHostPaths = [] }: Spec, path: string): 'write' | 'read' | 'none' {
  if (allowedHostPaths.length === 0) return 'write';
  const matching = allowedHostPaths.filter(({ pathPrefix = '' }) => isBelow(path, pathPrefix));
  if (matching.length === 0) return 'none';
  return matching.some(({ readOnly }) => readOnly !== true) ? 'write' : 'read';
}

const trimmed = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
const isBelow = (path: string, prefix: string): boolean =>
  trimmed(path) === trimmed(prefix) || trimmed(path).startsWith(`${trimmed(prefix)}/`);

function writableMounts(pod: DeepReadonly<PodSpec>, volume: string): FieldErrors {
  const errors: FieldError[] = [];
  for (const { container, path } of podContainers(pod))
    (container.volumeMounts ?? []).forEach(({ name, readOnly }, at) => {
      if (name !== volume || readOnly === true) return;
      const field = child(index(child(path, 'volumeMounts'), at), 'readOnly');
      errors.push(invalidField(field, false, 'must be read-only'));
    });
  return errors;
}
