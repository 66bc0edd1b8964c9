import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import { type FieldErrors, child, forbiddenField, index, invalidField } from '../../status/field-errors.ts';
import type { Pod, PodSpec } from '../../types/core-v1-pod.ts';
import { validatePodAnnotations, validateSeccompAgreement } from './annotations.ts';
import { validatePodSpec } from './spec.ts';

type Spec = DeepReadonly<PodSpec> | undefined;

/**
 * Checks the rules of `validatePodMetadataAndSpec` in Kubernetes 1.24, which are stricter than the rules for
 * pod templates.
 */
export const validatePod = (
  { metadata, spec }: DeepReadonly<Pod>,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => [
  ...validatePodAnnotations(metadata?.annotations, spec, 'metadata.annotations', vocabulary),
  ...validatePodSpec(spec, 'spec', metadata?.name ?? '', vocabulary),
  ...(spec?.serviceAccountName ? [] : validateNoTokens(spec)),
  ...validateImages(spec, 'containers'),
  ...validateImages(spec, 'initContainers'),
];

/** Checks the rules of `ValidatePodCreate` in Kubernetes 1.24 that `validatePod` does not check. */
export const validateNewPod = (
  { metadata, spec }: DeepReadonly<Pod>,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => [
  ...((spec?.ephemeralContainers ?? []).length === 0
    ? []
    : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
  ...validateSeccompAgreement(metadata?.annotations, spec, 'spec', vocabulary),
];

/** Rejects projected ServiceAccount tokens in a pod without a ServiceAccount. */
const validateNoTokens = (spec: Spec): FieldErrors =>
  (spec?.volumes ?? []).flatMap(({ projected }, volume) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, at) => {
      if (serviceAccountToken === undefined) return [];
      const source = index(child(index('spec.volumes', volume), 'projected', 'sources'), at);
      const detail = 'must not be specified when serviceAccountName is not set';
      return [forbiddenField(child(source, 'serviceAccountToken'), detail)];
    }),
  );

/** Validates that image names have no leading or trailing whitespace. */
export const validateImages = (spec: Spec, list: 'containers' | 'initContainers'): FieldErrors =>
  (spec?.[list] ?? []).flatMap(({ image = '' }, at) => {
    const field = child(index(child('spec', list), at), 'image');
    return image.trim() === image
      ? []
      : [invalidField(field, image, 'must not have leading or trailing whitespace')];
  });
