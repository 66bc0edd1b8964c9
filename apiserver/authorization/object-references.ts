import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import { podSecrets } from '../admission/pod-secrets.ts';

/** Kinds of objects to which a node can be related. */
export type ReferencedKind = 'secret' | 'configmap' | 'claim' | 'volume' | 'attachment' | 'account';

/** Returns the map key of an object. The namespace is '' for cluster-scoped kinds. */
export const referenceKey = (kind: ReferencedKind, namespace: string, name: string): string =>
  `${kind}|${namespace}|${name}`;

/** Yields the name of every ConfigMap to which a pod refers. */
export function* podConfigMaps(spec: DeepReadonly<PodSpec>): Generator<string> {
  for (const { configMap, projected } of spec.volumes ?? []) {
    if (configMap?.name) yield configMap.name;
    for (const source of projected?.sources ?? []) if (source.configMap?.name) yield source.configMap.name;
  }
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  for (const { env = [], envFrom = [] } of containers) {
    for (const { valueFrom } of env)
      if (valueFrom?.configMapKeyRef?.name) yield valueFrom.configMapKeyRef.name;
    for (const { configMapRef } of envFrom) if (configMapRef?.name) yield configMapRef.name;
  }
}

/**
 * Yields the name of every PersistentVolumeClaim that a pod uses, including the claims that are created for
 * its ephemeral volumes.
 */
function* podClaims({ metadata, spec }: DeepReadonly<Pod>): Generator<string> {
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? [])
    if (persistentVolumeClaim) yield persistentVolumeClaim.claimName;
    else if (ephemeral) yield `${metadata?.name ?? ''}-${name}`;
}

/**
 * Returns the keys of all objects that are required to run a pod. Returns none for a mirror pod, which
 * depends only on files of its node.
 */
export function podReferences(pod: DeepReadonly<Pod>, mirrorAnnotation: string): readonly string[] {
  const { metadata, spec } = pod;
  if (spec === undefined || Object.hasOwn(metadata?.annotations ?? {}, mirrorAnnotation)) return [];
  const { namespace = '' } = metadata ?? {};
  const keys = new Set<string>();
  if (spec.serviceAccountName) keys.add(referenceKey('account', namespace, spec.serviceAccountName));
  for (const { name } of podSecrets(spec)) keys.add(referenceKey('secret', namespace, name));
  for (const name of podConfigMaps(spec)) keys.add(referenceKey('configmap', namespace, name));
  for (const name of podClaims(pod)) keys.add(referenceKey('claim', namespace, name));
  return [...keys];
}

/**
 * Returns the keys of the Secrets that a node needs to mount a volume. Secrets that only the control plane
 * needs are omitted.
 */
export function volumeSecrets({ spec }: DeepReadonly<PersistentVolume>): ReadonlySet<string> {
  const home = spec?.claimRef?.namespace ?? '';
  const keys = new Set<string>();
  const add = (name: string | undefined, namespace: string | null | undefined): void => {
    if (name) keys.add(referenceKey('secret', namespace || home, name));
  };
  if (spec === undefined) return keys;
  add(spec.azureFile?.secretName, spec.azureFile?.secretNamespace);
  const references = [
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.rbd?.secretRef,
    spec.scaleIO?.secretRef,
    spec.iscsi?.secretRef,
    spec.storageos?.secretRef,
    spec.csi?.nodePublishSecretRef,
    spec.csi?.nodeStageSecretRef,
  ];
  for (const reference of references) add(reference?.name, reference?.namespace);
  return keys;
}
