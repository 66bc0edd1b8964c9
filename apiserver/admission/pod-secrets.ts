import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';

/** Reference from a pod to a Secret. */
export interface SecretReference {
  readonly name: string;
  /**
   * Referring part of the pod as messages describe it, such as `volume with` or `container web with envVar A
   * referencing`.
   */
  readonly by: string;
  readonly kind: 'volume' | 'environment' | 'pull' | 'driver';
}

type Spec = DeepReadonly<PodSpec>;

function* volumeSecrets(spec: Spec): Generator<SecretReference> {
  for (const volume of spec.volumes ?? []) {
    if (volume.secret?.secretName)
      yield { name: volume.secret.secretName, by: 'volume with', kind: 'volume' };
    for (const source of volume.projected?.sources ?? [])
      if (source.secret?.name) yield { name: source.secret.name, by: 'volume with', kind: 'driver' };
    const drivers = [
      volume.azureFile?.secretName,
      volume.cephfs?.secretRef?.name,
      volume.cinder?.secretRef?.name,
      volume.flexVolume?.secretRef?.name,
      volume.rbd?.secretRef?.name,
      volume.scaleIO?.secretRef?.name,
      volume.iscsi?.secretRef?.name,
      volume.storageos?.secretRef?.name,
      volume.csi?.nodePublishSecretRef?.name,
    ];
    for (const name of drivers) if (name) yield { name, by: 'volume with', kind: 'driver' };
  }
}

function* environmentSecrets(spec: Spec): Generator<SecretReference> {
  const containers = [
    ...(spec.initContainers ?? []).map((container) => ({ container, what: 'init container' })),
    ...(spec.containers ?? []).map((container) => ({ container, what: 'container' })),
    ...(spec.ephemeralContainers ?? []).map((container) => ({ container, what: 'ephemeral container' })),
  ];
  for (const { container, what } of containers) {
    for (const { name: variable, valueFrom } of container.env ?? [])
      if (valueFrom?.secretKeyRef?.name)
        yield {
          name: valueFrom.secretKeyRef.name,
          by: `${what} ${container.name} with envVar ${variable} referencing`,
          kind: 'environment',
        };
    for (const { secretRef } of container.envFrom ?? [])
      if (secretRef?.name)
        yield {
          name: secretRef.name,
          by: `${what} ${container.name} with envFrom referencing`,
          kind: 'environment',
        };
  }
}

/** Yields every reference from a pod to a Secret by name. */
export function* podSecrets(spec: Spec): Generator<SecretReference> {
  yield* volumeSecrets(spec);
  yield* environmentSecrets(spec);
  for (const { name } of spec.imagePullSecrets ?? [])
    if (name) yield { name, by: 'imagePullSecret', kind: 'pull' };
}
