import { describe, expect, it } from 'vitest';
import { context, created, row, texts, updated } from '../fixture.ts';
import { podDisruptionBudgets } from '../policy-v1.ts';
import { podDisruptionBudgetsV1beta1, podSecurityPolicies } from '../policy-v1beta1.ts';
import { disruptionBudgetConversion } from './disruption-budget-v1beta1.ts';

const metadata = { name: 'b', namespace: 'd', resourceVersion: '1' };

describe('a PodDisruptionBudget', () => {
  it('allows no disruptions before its first status', () => {
    const { object, errors } = created(podDisruptionBudgets, { metadata, spec: { minAvailable: '50%' } });
    expect(errors).toEqual([]);
    expect(object.status).toEqual({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    });
    expect(row(podDisruptionBudgets, object)).toMatchObject({
      'Min Available': '50%',
      'Max Unavailable': 'N/A',
      'Allowed Disruptions': 0,
    });
  });

  it.each([
    [
      { minAvailable: 1, maxUnavailable: '1%' },
      'spec: Invalid value: policy.PodDisruptionBudgetSpec{MinAvailable:(*intstr.IntOrString)(0xc000000000), Selector:(*v1.LabelSelector)(nil), MaxUnavailable:(*intstr.IntOrString)(0xc000000000)}: minAvailable and maxUnavailable cannot be both set',
    ],
    [{ minAvailable: -1 }, 'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
    [
      { maxUnavailable: '101%' },
      'spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ],
  ])('is rejected with the spec %j', (spec, complaint) => {
    expect(texts(created(podDisruptionBudgets, { metadata, spec }).errors)).toContain(complaint);
  });

  it('rejects negative counts in its status', () => {
    const { object } = created(podDisruptionBudgets, { metadata, spec: {} });
    const { errors } = updated(
      podDisruptionBudgets,
      object,
      ({ status }) => status && (status.currentHealthy = -1),
      'status',
    );
    expect(texts(errors)).toEqual([
      'status.currentHealthy: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('a PodDisruptionBudget of version v1beta1', () => {
  const mark = 'pdb.orch.io/deprecated-v1beta1-empty-selector-match';
  const stored = (selector: object): unknown =>
    disruptionBudgetConversion.toStorage({ spec: { selector } }, context).spec?.selector;

  it('selects no pods with an empty selector, unlike v1', () => {
    expect(stored({})).toEqual({ matchExpressions: [{ key: mark, operator: 'Exists' }] });
    const shown = disruptionBudgetConversion.fromStorage({ spec: { selector: {} } }, context);
    expect(shown.spec?.selector).toEqual({ matchExpressions: [{ key: mark, operator: 'DoesNotExist' }] });
    expect(stored({ matchExpressions: [{ key: mark, operator: 'DoesNotExist' }] })).toEqual({});
    expect(stored({ matchLabels: { a: 'b' } })).toEqual({ matchLabels: { a: 'b' } });
  });

  it('is validated by the rules of v1', () => {
    expect(
      created(podDisruptionBudgetsV1beta1, { metadata, spec: { minAvailable: -1 } }).errors,
    ).toHaveLength(1);
  });
});

describe('a PodSecurityPolicy', () => {
  const any = { rule: 'RunAsAny' };
  const spec = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any, volumes: ['*'] };

  it('allows privilege escalation by default', () => {
    const { object, errors } = created(podSecurityPolicies, { metadata: { name: 'p' }, spec });
    expect(errors).toEqual([]);
    expect(object.spec?.allowPrivilegeEscalation).toBe(true);
    expect(row(podSecurityPolicies, object)).toMatchObject({
      Priv: 'false',
      SELinux: 'RunAsAny',
      Volumes: '*',
    });
  });

  it.each([
    [
      { runAsUser: { rule: 'Some' } },
      'spec.runAsUser.rule: Unsupported value: "Some": supported values: "MustRunAs", "MustRunAsNonRoot", "RunAsAny"',
    ],
    [
      { fsGroup: { rule: 'MustRunAs', ranges: [{ min: 5, max: 1 }] } },
      'spec.fsGroup.ranges[0].min: Invalid value: 5: min cannot be greater than max',
    ],
    [
      { defaultAllowPrivilegeEscalation: true, allowPrivilegeEscalation: false },
      'spec.defaultAllowPrivilegeEscalation: Invalid value: true: Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true',
    ],
  ])('is rejected with the spec %j', (change, complaint) => {
    const { errors } = created(podSecurityPolicies, {
      metadata: { name: 'p' },
      spec: { ...spec, ...change },
    });
    expect(texts(errors)).toContain(complaint);
  });
});
