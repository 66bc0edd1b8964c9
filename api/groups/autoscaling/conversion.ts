import type { Conversion } from '../../conversion/version.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import { isObject } from '../../schema/own.ts';
import type { HorizontalPodAutoscaler as V1 } from '../../types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler as V2, MetricSpec } from '../../types/autoscaling-v2.ts';
import type { HorizontalPodAutoscaler as V2beta1 } from '../../types/autoscaling-v2beta1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { usualMetric } from './autoscaler.ts';
import { fromOldMetric, fromOldStatus, toOldMetric, toOldStatus, cloned } from './metrics-v2beta1.ts';

/**
 * Returns the keys of the annotations in which v1 carries values for which it has no fields. Clients of v1
 * thus preserve these values
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/autoscaling/annotations.go).
 */
const annotationsOf = (
  vocabulary: Vocabulary,
): { readonly [key in 'metrics' | 'currentMetrics' | 'conditions' | 'behavior']: string } => ({
  metrics: vocabulary.key('autoscaling.alpha', 'metrics'),
  currentMetrics: vocabulary.key('autoscaling.alpha', 'current-metrics'),
  conditions: vocabulary.key('autoscaling.alpha', 'conditions'),
  behavior: vocabulary.key('autoscaling.alpha', 'behavior'),
});

const metricsCarriedBy = (metadata: DeepReadonly<V2>['metadata'], vocabulary: Vocabulary): MetricSpec[] =>
  listCarriedBy(metadata, annotationsOf(vocabulary).metrics, fromOldMetric) ?? [];

/** True if the annotations of a v1 object contain metrics other than the CPU utilization. */
export const carriesMetrics = ({ metadata }: DeepReadonly<V1>, vocabulary: Vocabulary): boolean =>
  metricsCarriedBy(metadata, vocabulary).length > 0;

interface Carrying {
  metadata?: V2['metadata'];
}

/** Returns metadata with `carried` added to its annotations; an empty object if `metadata` is undefined. */
function withAnnotations(
  metadata: DeepReadonly<V2>['metadata'],
  carried: { readonly [key: string]: unknown },
): Carrying {
  if (metadata === undefined) return {};
  const texts = Object.entries(carried)
    .filter(([, held]) => held !== undefined)
    .map(([key, held]) => [key, JSON.stringify(held)] as const);
  const next = structuredClone(metadata) as NonNullable<V2['metadata']>;
  if (texts.length > 0) next.annotations = { ...next.annotations, ...Object.fromEntries(texts) };
  return { metadata: next };
}

/** Returns metadata without the annotations that carry values. */
function withoutAnnotations(metadata: DeepReadonly<V2>['metadata'], vocabulary: Vocabulary): Carrying {
  if (metadata === undefined) return {};
  const next = structuredClone(metadata) as NonNullable<V2['metadata']>;
  const names = new Set<string>(Object.values(annotationsOf(vocabulary)));
  const kept = Object.entries(next.annotations ?? {}).filter(([key]) => !names.has(key));
  if (next.annotations) next.annotations = Object.fromEntries(kept);
  return { metadata: next };
}

/** Returns the value of an annotation. Like upstream, returns undefined for invalid JSON. */
function carriedBy(metadata: DeepReadonly<V2>['metadata'], key: string): unknown {
  const text = metadata?.annotations?.[key];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the converted items of a list in an annotation; undefined if any item is invalid. */
function listCarriedBy<T, U>(
  metadata: DeepReadonly<V2>['metadata'],
  key: string,
  convert: (item: T) => U,
): U[] | undefined {
  const held = carriedBy(metadata, key);
  if (!Array.isArray(held)) return undefined;
  try {
    return held.map((item) => convert(item as T));
  } catch {
    return undefined;
  }
}

type Behavior = NonNullable<NonNullable<V2['spec']>['behavior']>;

/**
 * Returns a behavior in the form in which upstream writes it to the annotation: with Go field names, and null
 * for absent fields.
 */
function toWrittenBehavior({ scaleUp, scaleDown }: DeepReadonly<Behavior>): object {
  const rules = (given: DeepReadonly<Behavior>['scaleUp']): object | null =>
    given
      ? {
          StabilizationWindowSeconds: given.stabilizationWindowSeconds ?? null,
          SelectPolicy: given.selectPolicy ?? null,
          Policies:
            given.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
        }
      : null;
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

/** Reads a behavior that is written with Go or JSON field names. */
function fromWrittenBehavior(written: unknown): unknown {
  if (Array.isArray(written)) return written.map(fromWrittenBehavior);
  if (!isObject(written)) return written;
  return Object.fromEntries(
    Object.entries(written)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), fromWrittenBehavior(value)]),
  );
}

const isCpuShare = ({ type, resource }: DeepReadonly<MetricSpec>): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;

/** Returns the list, or null if it is empty. */
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);
const nonEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

/** Conversion between `autoscaling/v1` and the stored version. */
export const v1Conversion: Conversion<V1, V2> = {
  fromStorage({ metadata, spec, status, ...types }, { vocabulary }) {
    const keys = annotationsOf(vocabulary);
    const metrics = spec?.metrics ?? [];
    const cpu = metrics.find(isCpuShare)?.resource?.target.averageUtilization;
    const rest = metrics.filter((metric, at) => !isCpuShare(metric) || metrics.findIndex(isCpuShare) !== at);
    const current = status?.currentMetrics ?? [];
    const currentCpu = current.find(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu')
      ?.resource?.current.averageUtilization;
    const { metrics: _metrics, behavior, ...plain } = spec ?? ({} as NonNullable<DeepReadonly<V2>['spec']>);
    const {
      currentMetrics: _current,
      conditions,
      ...reported
    } = status ?? ({} as NonNullable<DeepReadonly<V2>['status']>);
    return {
      ...types,
      ...withAnnotations(metadata, {
        [keys.metrics]: nonEmpty(rest.map(toOldMetric)),
        [keys.currentMetrics]: nonEmpty(current.map(toOldStatus)),
        [keys.conditions]: nonEmpty(conditions ?? []),
        [keys.behavior]: behavior && toWrittenBehavior(behavior),
      }),
      ...(spec && {
        spec: { ...cloned(plain), ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
      }),
      ...(status && {
        status: {
          ...cloned(reported),
          currentReplicas: reported.currentReplicas ?? 0,
          ...(currentCpu === undefined ? {} : { currentCPUUtilizationPercentage: currentCpu }),
        },
      }),
    } as V1;
  },
  toStorage({ metadata, spec, status, ...types }, { vocabulary }) {
    const keys = annotationsOf(vocabulary);
    const { targetCPUUtilizationPercentage: cpu, ...plain } =
      spec ?? ({} as NonNullable<DeepReadonly<V1>['spec']>);
    const metrics = metricsCarriedBy(metadata, vocabulary);
    if (cpu !== undefined) {
      const target = { type: 'Utilization', averageUtilization: cpu } as const;
      metrics.push({ type: 'Resource', resource: { name: 'cpu', target } });
    }
    const behavior = fromWrittenBehavior(carriedBy(metadata, keys.behavior));
    const { currentCPUUtilizationPercentage: share, ...reported } =
      status ?? ({} as NonNullable<DeepReadonly<V1>['status']>);
    const carried = listCarriedBy(metadata, keys.currentMetrics, fromOldStatus);
    const ofShare =
      share === undefined
        ? []
        : [{ type: 'Resource' as const, resource: { name: 'cpu', current: { averageUtilization: share } } }];
    const conditions = listCarriedBy(metadata, keys.conditions, (each: object) => each);
    return {
      ...types,
      ...withoutAnnotations(metadata, vocabulary),
      ...(spec && {
        spec: {
          ...cloned(plain),
          metrics: metrics.length === 0 ? [usualMetric()] : metrics,
          ...(behavior === undefined ? {} : { behavior }),
        },
      }),
      ...(status && {
        status: {
          ...cloned(reported),
          currentMetrics: orNull(carried ?? ofShare),
          ...(conditions && { conditions }),
        },
      }),
    } as V2;
  },
};

/** Conversion between `autoscaling/v2beta1` and the stored version. */
export const v2beta1Conversion: Conversion<V2beta1, V2> = {
  fromStorage({ metadata, spec, status, ...types }, { vocabulary }) {
    const { metrics, behavior, ...plain } = spec ?? ({} as NonNullable<DeepReadonly<V2>['spec']>);
    return {
      ...types,
      ...withAnnotations(metadata, {
        [annotationsOf(vocabulary).behavior]: behavior && toWrittenBehavior(behavior),
      }),
      ...(spec && { spec: { ...cloned(plain), ...(metrics && { metrics: metrics.map(toOldMetric) }) } }),
      ...(status && {
        status: { ...cloned(status), currentMetrics: orNull((status.currentMetrics ?? []).map(toOldStatus)) },
      }),
    } as V2beta1;
  },
  toStorage({ metadata, spec, status, ...types }, { vocabulary }) {
    const behavior = fromWrittenBehavior(carriedBy(metadata, annotationsOf(vocabulary).behavior));
    const { metrics, ...plain } = spec ?? ({} as NonNullable<DeepReadonly<V2beta1>['spec']>);
    return {
      ...types,
      ...withoutAnnotations(metadata, vocabulary),
      ...(spec && {
        spec: {
          ...cloned(plain),
          ...(metrics && { metrics: metrics.map(fromOldMetric) }),
          ...(behavior === undefined ? {} : { behavior }),
        },
      }),
      ...(status && {
        status: {
          ...cloned(status),
          currentMetrics: orNull((status.currentMetrics ?? []).map(fromOldStatus)),
        },
      }),
    } as V2;
  },
};
