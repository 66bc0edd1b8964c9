import { spend } from '../../base/budget/index.ts';
import type { Pod, PodSpec, Toleration } from '../../api/types/core-v1-pod.ts';
import { isQualifiedName } from '../../api/validation/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore } from './refusal.ts';

/** True for resources outside the product's domain, such as `example.com/gpu`. */
const isExtendedResource = (name: string, { domain }: Vocabulary): boolean =>
  name.includes('/') &&
  !name.includes(`${domain}/`) &&
  !name.startsWith('requests.') &&
  isQualifiedName(`requests.${name}`).length === 0;

const extendedResources = (spec: PodSpec, vocabulary: Vocabulary): readonly string[] => {
  const requested = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
    Object.keys(resources?.requests ?? {}),
  );
  return [...new Set(requested)].filter((name) => isExtendedResource(name, vocabulary)).toSorted();
};

/** Work units of comparing two tolerations. */
const PAIR_WORK = 0.05;

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.operator === b.operator &&
  a.effect === b.effect &&
  (a.value ?? '') === (b.value ?? '');

/** Replaces an equal toleration, or appends the new one. */
function withToleration(all: readonly Toleration[], added: Toleration): Toleration[] {
  spend(all.length * PAIR_WORK);
  const others = all.map((each) => (isSame(each, added) ? added : each));
  return others.includes(added) ? others : [...others, added];
}

/**
 * Adds a toleration of each extended resource that a pod requests: nodes with expensive devices have a taint
 * named after the device, to keep other pods away.
 */
export const createExtendedResourceToleration = (vocabulary: Vocabulary): AdmissionPlugin => ({
  name: 'ExtendedResourceToleration',
  operations: ['CREATE', 'UPDATE'],
  concerns: coreKind('pods'),
  async mutate(request) {
    const spec = (request.object as Pod | undefined)?.spec;
    if (!isCore(request, 'pods') || spec === undefined) return;
    for (const key of extendedResources(spec, vocabulary))
      spec.tolerations = withToleration(spec.tolerations ?? [], {
        key,
        operator: 'Exists',
        effect: 'NoSchedule',
      });
  },
});
