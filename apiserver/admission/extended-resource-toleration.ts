import { spend } from '../../base/budget/index.ts';
import type { Pod, PodSpec, Toleration } from '../../api/types/core-v1-pod.ts';
import { isQualifiedName } from '../../api/validation/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore } from './rejection.ts';

/** True for resource names outside the domain of the product, such as `example.com/gpu`. */
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

/** Work units for the comparison of two tolerations. */
const PAIR_WORK = 0.05;

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.operator === b.operator &&
  a.effect === b.effect &&
  (a.value ?? '') === (b.value ?? '');

/** Returns the tolerations with `added`, which replaces an equal toleration. */
function withToleration(all: readonly Toleration[], added: Toleration): Toleration[] {
  spend(all.length * PAIR_WORK);
  const others = all.map((each) => (isSame(each, added) ? added : each));
  return others.includes(added) ? others : [...others, added];
}

/**
 * Creates a plugin that adds a toleration for each extended resource that a pod requests. Nodes with
 * expensive devices have a taint with the name of the device, which keeps other pods away.
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
