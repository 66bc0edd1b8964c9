import { describe, expect, it } from 'vitest';
import type { DeepReadonly } from '../../kinds/kind.ts';
import type { HorizontalPodAutoscaler as V2 } from '../../types/autoscaling-v2.ts';
import {
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  horizontalPodAutoscalersV2beta1,
} from '../autoscaling.ts';
import { context, created, decoded, everyFeature, row, texts } from '../fixture.ts';
import { v1Conversion, v2beta1Conversion } from './conversion.ts';

const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
const body = (spec: object = {}): object => ({
  metadata: { name: 'web', namespace: 'd' },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
});
const cpu = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const qps = {
  type: 'Pods',
  pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '100' } },
};

describe('a HorizontalPodAutoscaler', () => {
  it('has at least one replica and targets 80 percent CPU by default', () => {
    expect(decoded(horizontalPodAutoscalers, body()).spec).toMatchObject({
      minReplicas: 1,
      metrics: [cpu(80)],
    });
  });

  it('scales to zero only if the feature is enabled and a metric is external', () => {
    const outside = {
      type: 'External',
      external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
    };
    const errors = (metrics: readonly object[], known = everyFeature) =>
      texts(created(horizontalPodAutoscalers, body({ minReplicas: 0, metrics }), known).errors);
    expect(errors([outside])).toEqual([]);
    const least = 'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1';
    expect(errors([outside], context)).toEqual([least]);
    expect(errors([cpu(50)], context)).toEqual([least, expect.stringContaining('spec.metrics: Forbidden: ')]);
    expect(errors([cpu(50)])).toEqual([
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
  });

  it('requires policies in a scaling behavior', () => {
    const behavior = { scaleDown: { policies: [] } };
    expect(texts(created(horizontalPodAutoscalers, body({ behavior })).errors)).toEqual([
      'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'without a type',
      { resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } } },
      [
        'type: Required value: must specify a metric source type',
        ...Array.from(
          { length: 2 },
          () =>
            'type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        ),
      ],
    ],
    [
      'whose source does not match its type',
      { ...cpu(50), object: {} },
      [
        'object.describedObject.kind: Required value',
        'object.describedObject.name: Required value',
        'object.metric.name: Required value: must specify a metric name',
        'object.target.type: Required value: must specify a metric target type',
        'object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        'object.target.averageValue: Required value: must set either a target value or averageValue',
        'object: Forbidden: must populate the given metric source only',
      ],
    ],
    [
      'with a value and an average value',
      {
        type: 'External',
        external: { metric: { name: 'q' }, target: { type: 'Value', value: '1', averageValue: '1' } },
      },
      ['external.target.value: Forbidden: may not set both a target value for metric and a per-pod target'],
    ],
    [
      'without its source',
      { type: 'Pods' },
      ['pods: Required value: must populate information for the given metric source'],
    ],
  ])('rejects a metric %s', (_what, metric, errors) => {
    expect(texts(created(horizontalPodAutoscalers, body({ metrics: [metric] })).errors)).toEqual(
      errors.map((error) => `spec.metrics[0].${error}`),
    );
  });

  it('has at least one replica at v1 by default', () => {
    expect(decoded(horizontalPodAutoscalersV1, body()).spec).toMatchObject({ minReplicas: 1 });
  });

  it('has defaults for scaling up and down if it declares one of the two', () => {
    const { spec } = decoded(
      horizontalPodAutoscalers,
      body({ behavior: { scaleDown: { stabilizationWindowSeconds: 9 } } }),
    );
    expect(spec?.behavior?.scaleUp?.policies).toHaveLength(2);
    expect(spec?.behavior?.scaleDown).toEqual({
      stabilizationWindowSeconds: 9,
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    });
  });

  it.each([
    [{ minReplicas: 0 }, 'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
    [
      { minReplicas: 4 },
      'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
    ],
    [{ scaleTargetRef: { kind: '', name: 'a' } }, 'spec.scaleTargetRef.kind: Required value'],
    [
      { metrics: [{ type: 'Pods' }] },
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ],
  ])('is rejected with the spec %j', (spec, complaint) => {
    expect(texts(created(horizontalPodAutoscalers, body(spec)).errors)).toContain(complaint);
  });

  it('shows its targets in its row', () => {
    const { object } = created(horizontalPodAutoscalers, body({ metrics: [cpu(60), qps] }));
    expect(row(horizontalPodAutoscalers, object)).toMatchObject({
      Reference: 'Deployment/web',
      Targets: '<unknown>/60%, <unknown>/100',
      MinPods: '1',
      MaxPods: 3,
    });
  });
});

describe('conversion of a HorizontalPodAutoscaler', () => {
  const full = {
    metadata: { name: 'web', namespace: 'd', annotations: { mine: 'yes' } },
    spec: {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        qps,
        {
          type: 'Object',
          object: {
            describedObject: { kind: 'Service', name: 's' },
            target: { type: 'Value', value: '2k' },
            metric: { name: 'hits', selector: { matchLabels: { a: 'b' } } },
          },
        },
        {
          type: 'External',
          external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } },
        },
        {
          type: 'Resource',
          resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
        },
        cpu(60),
      ],
      behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] } },
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 7, averageValue: '3m' } },
        },
      ],
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    },
  } as unknown as DeepReadonly<V2>;

  it.each([
    ['v1', v1Conversion],
    ['v2beta1', v2beta1Conversion],
  ] as const)('to %s preserves values for which the version has no field', (_name, conversion) => {
    const there = conversion.fromStorage(full, context);
    expect(conversion.toStorage(there as never, context)).toEqual(full);
  });

  it('to v1 writes the CPU target to a field and other metrics to annotations', () => {
    const { metadata, spec, status } = v1Conversion.fromStorage(full, context);
    expect(spec?.targetCPUUtilizationPercentage).toBe(60);
    expect(status?.currentCPUUtilizationPercentage).toBe(7);
    expect(Object.keys(metadata?.annotations ?? {}).sort()).toEqual([
      'autoscaling.alpha.orch.io/behavior',
      'autoscaling.alpha.orch.io/conditions',
      'autoscaling.alpha.orch.io/current-metrics',
      'autoscaling.alpha.orch.io/metrics',
      'mine',
    ]);
  });

  it('to v1 and v2beta1 writes behavior with Go field names and reads Go and JSON field names', () => {
    const key = 'autoscaling.alpha.orch.io/behavior';
    for (const conversion of [v1Conversion, v2beta1Conversion]) {
      const there = conversion.fromStorage(full, context);
      expect(JSON.parse(there.metadata?.annotations?.[key] ?? '')).toEqual({
        ScaleUp: {
          StabilizationWindowSeconds: null,
          SelectPolicy: null,
          Policies: [{ Type: 'Pods', Value: 1, PeriodSeconds: 15 }],
        },
        ScaleDown: null,
      });
      const annotations = { [key]: JSON.stringify(full.spec?.behavior) };
      const otherwise = { ...there, metadata: { ...there.metadata, annotations } };
      expect(conversion.toStorage(otherwise as never, context).spec?.behavior).toEqual(full.spec?.behavior);
    }
  });

  it('to v1 defaults the CPU target unless there are other metrics', () => {
    const share = (changes: object): unknown =>
      decoded(horizontalPodAutoscalersV1, { ...body({ metrics: undefined }), ...changes }).spec
        ?.targetCPUUtilizationPercentage;
    const annotated = (metrics: string): object => ({
      metadata: { name: 'x', annotations: { 'autoscaling.alpha.orch.io/metrics': metrics } },
    });
    expect(share({})).toBe(80);
    expect(share(annotated('[null'))).toBe(80);
    expect(
      share(annotated(JSON.stringify([{ type: 'Resource', resource: { name: 'memory' } }]))),
    ).toBeUndefined();
  });

  it('from v1 ignores unreadable annotations', () => {
    const spoilt = {
      metadata: {
        annotations: {
          'autoscaling.alpha.orch.io/metrics': '[null',
          'autoscaling.alpha.orch.io/conditions': '7',
        },
      },
      spec: { scaleTargetRef, maxReplicas: 1 },
    };
    expect(v1Conversion.toStorage(spoilt as never, context).spec).toEqual({
      scaleTargetRef,
      maxReplicas: 1,
      metrics: [cpu(80)],
    });
  });

  it('from v1 for a Table includes the metrics in annotations', () => {
    const there = v1Conversion.fromStorage(full, context);
    expect(row(horizontalPodAutoscalersV1, there)['Targets']).toMatch(/^<unknown>\/100, .* \+ 3 more\.\.\.$/);
  });

  it('to v2beta1 converts the names of metrics', () => {
    const { spec } = v2beta1Conversion.fromStorage(full, context);
    expect(spec?.metrics?.[0]).toEqual({
      type: 'Pods',
      pods: { metricName: 'qps', targetAverageValue: '100' },
    });
    expect(created(horizontalPodAutoscalersV2beta1, { metadata: { name: 'x' }, spec }).errors).toEqual([]);
  });
});
