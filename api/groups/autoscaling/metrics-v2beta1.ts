import type { DeepReadonly } from '../../kinds/kind.ts';
import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../types/autoscaling-v2.ts';
import type { MetricSpec as OldSpec, MetricStatus as OldStatus } from '../../types/autoscaling-v2beta1.ts';

// The annotations of v1 contain metrics in the form of v2beta1, so v1 uses the same conversions.

/** Returns an object with the member `key`, or an empty object if `held` is undefined. */
const given = <K extends string, V>(key: K, held: V | undefined): { [key in K]?: V } =>
  held === undefined ? {} : ({ [key]: held } as { [key in K]?: V });

const named = (name: string, selector: DeepReadonly<MetricIdentifier>['selector']): MetricIdentifier => ({
  name,
  ...given('selector', selector && (structuredClone(selector) as NonNullable<MetricIdentifier['selector']>)),
});

/** Returns a mutable deep copy. */
export const cloned = <T>(frozen: DeepReadonly<T>): T => structuredClone(frozen) as T;

type Target = DeepReadonly<MetricTarget>;

/** Converts a metric to v2beta1. */
export function toOldMetric(metric: DeepReadonly<MetricSpec>): OldSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  const shares = ({ averageUtilization, averageValue }: Target): object => ({
    ...given('targetAverageUtilization', averageUtilization),
    ...given('targetAverageValue', averageValue),
  });
  return {
    type,
    ...(object && {
      object: {
        target: cloned(object.describedObject),
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        ...given('selector', object.metric.selector && cloned(object.metric.selector)),
        ...given('averageValue', object.target.averageValue),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        ...given('selector', pods.metric.selector && cloned(pods.metric.selector)),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...shares(resource.target) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        ...shares(containerResource.target),
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...given('metricSelector', external.metric.selector && cloned(external.metric.selector)),
        ...given('targetValue', external.target.value),
        ...given('targetAverageValue', external.target.averageValue),
      },
    }),
  } as OldSpec;
}

/** Converts a metric from v2beta1. */
export function fromOldMetric(metric: DeepReadonly<OldSpec>): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  const share = (utilization: number | undefined, averageValue: string | undefined): MetricTarget => ({
    type: utilization === undefined ? 'AverageValue' : 'Utilization',
    ...given('averageValue', averageValue),
    ...given('averageUtilization', utilization),
  });
  const amount = (value: string | undefined, averageValue: string | undefined): MetricTarget => ({
    type: averageValue === undefined ? 'Value' : 'AverageValue',
    ...given('value', value),
    ...given('averageValue', averageValue),
  });
  return {
    type,
    ...(object && {
      object: {
        describedObject: cloned(object.target),
        target: amount(
          object.averageValue === undefined || object.targetValue !== '0' ? object.targetValue : undefined,
          object.averageValue,
        ),
        metric: named(object.metricName, object.selector),
      },
    }),
    ...(pods && {
      pods: {
        metric: named(pods.metricName, pods.selector),
        target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
      },
    }),
    ...(resource && {
      resource: {
        name: resource.name,
        target: share(resource.targetAverageUtilization, resource.targetAverageValue),
      },
    }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        target: share(containerResource.targetAverageUtilization, containerResource.targetAverageValue),
      },
    }),
    ...(external && {
      external: {
        metric: named(external.metricName, external.metricSelector),
        target: amount(external.targetValue, external.targetAverageValue),
      },
    }),
  };
}

type Current = DeepReadonly<MetricValueStatus>;

/** Converts the status of a metric to v2beta1. */
export function toOldStatus(metric: DeepReadonly<MetricStatus>): OldStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  const shares = ({ averageUtilization, averageValue }: Current): object => ({
    ...given('currentAverageUtilization', averageUtilization),
    currentAverageValue: averageValue ?? '0',
  });
  return {
    type,
    ...(object && {
      object: {
        target: cloned(object.describedObject),
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        ...given('selector', object.metric.selector && cloned(object.metric.selector)),
        ...given('averageValue', object.current.averageValue),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        ...given('selector', pods.metric.selector && cloned(pods.metric.selector)),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...shares(resource.current) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        ...shares(containerResource.current),
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...given('metricSelector', external.metric.selector && cloned(external.metric.selector)),
        currentValue: external.current.value ?? '0',
        ...given('currentAverageValue', external.current.averageValue),
      },
    }),
  } as OldStatus;
}

/** Converts the status of a metric from v2beta1. */
export function fromOldStatus(metric: DeepReadonly<OldStatus>): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  const share = (utilization: number | undefined, averageValue: string): MetricValueStatus => ({
    averageValue,
    ...given('averageUtilization', utilization),
  });
  return {
    type,
    ...(object && {
      object: {
        describedObject: cloned(object.target),
        metric: named(object.metricName, object.selector),
        current: { value: object.currentValue, ...given('averageValue', object.averageValue) },
      },
    }),
    ...(pods && {
      pods: {
        metric: named(pods.metricName, pods.selector),
        current: { averageValue: pods.currentAverageValue },
      },
    }),
    ...(resource && {
      resource: {
        name: resource.name,
        current: share(resource.currentAverageUtilization, resource.currentAverageValue),
      },
    }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        current: share(containerResource.currentAverageUtilization, containerResource.currentAverageValue),
      },
    }),
    ...(external && {
      external: {
        metric: named(external.metricName, external.metricSelector),
        current: { value: external.currentValue, ...given('averageValue', external.currentAverageValue) },
      },
    }),
  };
}
