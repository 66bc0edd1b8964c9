import { defineVersion, sameShape } from '../conversion/version.ts';
import { type DeepReadonly, defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { HorizontalPodAutoscaler as V1 } from '../types/autoscaling-v1.ts';
import { HorizontalPodAutoscaler as V2 } from '../types/autoscaling-v2.ts';
import { HorizontalPodAutoscaler as V2beta1 } from '../types/autoscaling-v2beta1.ts';
import { HorizontalPodAutoscaler as V2beta2 } from '../types/autoscaling-v2beta2.ts';
import { kubernetesVocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import {
  USUAL_CPU,
  autoscalerColumns,
  autoscalerStrategy,
  autoscalerSubresources,
} from './autoscaling/autoscaler.ts';
import { carriesMetrics, v1Conversion, v2beta1Conversion } from './autoscaling/conversion.ts';

/**
 * Kind `HorizontalPodAutoscaler` of `autoscaling/v2`. This newest version is stored, because it can express
 * all others.
 */
export const horizontalPodAutoscalers = defineKind<V2>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  schema: V2,
  strategy: autoscalerStrategy,
  subresources: autoscalerSubresources,
  columns: autoscalerColumns,
  policy: { rechecks: CHANGE },
});

const replacement = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' } as const;

/**
 * Converts an object for a Table. A Table has no vocabulary, so the vocabulary whose annotations are present
 * is used.
 */
function shownV1(object: DeepReadonly<V1>): DeepReadonly<V2> {
  const vocabulary = carriesMetrics(object, kubernetesVocabulary) ? kubernetesVocabulary : orchVocabulary;
  return v1Conversion.toStorage(object, { vocabulary }) as DeepReadonly<V2>;
}

/** Kind `HorizontalPodAutoscaler` of `autoscaling/v1`. */
export const horizontalPodAutoscalersV1 = defineVersion<V1, V2>(horizontalPodAutoscalers, {
  version: 'v1',
  schema: V1,
  conversion: v1Conversion,
  shown: shownV1,
  strategy: {
    defaults(object, { vocabulary }) {
      const { spec } = object;
      if (spec === undefined) return;
      spec.minReplicas ??= 1;
      if (!carriesMetrics(object, vocabulary)) spec.targetCPUUtilizationPercentage ??= USUAL_CPU;
    },
  },
});

/** Kind `HorizontalPodAutoscaler` of `autoscaling/v2beta1`. */
export const horizontalPodAutoscalersV2beta1 = defineVersion<V2beta1, V2>(horizontalPodAutoscalers, {
  version: 'v2beta1',
  schema: V2beta1,
  conversion: v2beta1Conversion,
  shown: (object) => v2beta1Conversion.toStorage(object, { vocabulary: orchVocabulary }) as DeepReadonly<V2>,
  deprecated: { since: '1.22', removedRelease: '1.25', replacement },
});

/** Kind `HorizontalPodAutoscaler` of `autoscaling/v2beta2`. */
export const horizontalPodAutoscalersV2beta2 = defineVersion<V2, V2>(horizontalPodAutoscalers, {
  version: 'v2beta2',
  schema: V2beta2,
  conversion: sameShape(),
  deprecated: { since: '1.23', removedRelease: '1.26', replacement },
});
