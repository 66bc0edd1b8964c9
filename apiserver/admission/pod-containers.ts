import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';

/** Fields common to all types of containers. */
export type PodContainer = Pick<
  Container,
  'name' | 'image' | 'imagePullPolicy' | 'securityContext' | 'ports' | 'volumeMounts'
>;

/** Container of a pod and its field path. */
export interface Placed<T> {
  readonly container: T;
  /** Field path, such as `spec.initContainers[0]`. */
  readonly path: string;
}

/** Returns all containers of a pod in upstream's order: init, regular and ephemeral containers. */
export function podContainers(spec: PodSpec): readonly Placed<PodContainer>[];
export function podContainers(spec: DeepReadonly<PodSpec>): readonly Placed<DeepReadonly<PodContainer>>[];
export function podContainers(spec: DeepReadonly<PodSpec>): readonly Placed<DeepReadonly<PodContainer>>[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container: DeepReadonly<PodContainer>, at) => ({
      container,
      path: `spec.${list}[${at}]`,
    })),
  );
}
