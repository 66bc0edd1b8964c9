import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';

/** What all sorts of containers have. */
export type PodContainer = Pick<
  Container,
  'name' | 'image' | 'imagePullPolicy' | 'securityContext' | 'ports' | 'volumeMounts'
>;

/** A container of a pod, and where it stands. */
export interface Placed<T> {
  readonly container: T;
  /** Such as `spec.initContainers[0]`. */
  readonly path: string;
}

/** Every container of a pod: init containers, containers, ephemeral containers, in upstream's order. */
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
