import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';

/**
 * Returns the names of the Secrets that a pod uses in volumes, in its environment or for image pulls, without
 * duplicates.
 */
export function podSecretNames({ spec }: DeepReadonly<Pod>): readonly string[] {
  const volumes = (spec?.volumes ?? []).flatMap(({ secret, projected }) => [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ]);
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(
    ({ env, envFrom }) => [
      ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
    ],
  );
  const images = (spec?.imagePullSecrets ?? []).map(({ name }) => name);
  return [...new Set([...volumes, ...containers, ...images])].filter((name) => name !== undefined);
}
