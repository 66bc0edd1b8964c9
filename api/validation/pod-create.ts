import type { DeepReadonly } from '../kinds/kind.ts';
import { type FieldErrors, child, forbiddenField, index, invalidField } from '../status/field-errors.ts';
import type { Pod, PodSpec } from '../types/core-v1-pod.ts';
import { validatePodSpec } from './pod-spec.ts';

type Spec = DeepReadonly<PodSpec> | undefined;

/** Release 1.24, `ValidatePodCreate`. What a template may still say, a pod may not. */
export const validateNewPod = ({ spec }: DeepReadonly<Pod>): FieldErrors => [
  ...validatePodSpec(spec, 'spec'),
  ...validateImages(spec, 'containers'),
  ...validateImages(spec, 'initContainers'),
  ...((spec?.ephemeralContainers ?? []).length === 0
    ? []
    : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
];

/** Images, where they are named, are named without spaces around them. */
export const validateImages = (spec: Spec, list: 'containers' | 'initContainers'): FieldErrors =>
  (spec?.[list] ?? []).flatMap(({ image = '' }, at) => {
    const field = child(index(child('spec', list), at), 'image');
    return image.trim() === image
      ? []
      : [invalidField(field, image, 'must not have leading or trailing whitespace')];
  });
