import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { INDEX_VARIABLE, type JobNames } from './names.ts';

/**
 * Maximum length of a name prefix. With the five characters that the server appends, the name is still a DNS
 * label.
 */
const MAX_PREFIX = 58;

/**
 * Returns a new pod of a Job.
 * @param index completion index in the annotation, label, host name and environment of the pod; null unless
 * the Job is Indexed
 */
export function newPod(
  job: DeepReadonly<Job>,
  owner: OwnerReference,
  names: JobNames,
  finalizers: readonly string[],
  index: number | null,
): DeepReadonly<Pod> {
  const { metadata, spec } = job.spec?.template ?? {};
  const name = job.metadata?.name ?? '';
  const suffix = index === null ? '-' : `-${index}-`;
  const marks = index === null ? {} : { [names.completionIndex]: String(index) };
  return {
    metadata: {
      generateName: name.slice(0, MAX_PREFIX - suffix.length) + suffix,
      namespace: job.metadata?.namespace ?? '',
      labels: { ...metadata?.labels, ...marks },
      annotations: { ...metadata?.annotations, ...marks },
      finalizers: [...new Set([...(metadata?.finalizers ?? []), ...finalizers])],
      ownerReferences: [owner],
    },
    spec: {
      ...spec,
      ...(index === null ? {} : { hostname: `${name}-${index}` }),
      containers: (spec?.containers ?? []).map((each) => withIndex(each, names, index)),
      ...(spec?.initContainers
        ? { initContainers: spec.initContainers.map((each) => withIndex(each, names, index)) }
        : {}),
    },
  };
}

function withIndex(
  container: DeepReadonly<Container>,
  { completionIndex }: JobNames,
  index: number | null,
): DeepReadonly<Container> {
  const { env = [] } = container;
  if (index === null || env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const fieldRef = { fieldPath: `metadata.annotations['${completionIndex}']` };
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef } }] };
}
