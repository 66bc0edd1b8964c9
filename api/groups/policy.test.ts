import { describe, expect, it } from 'vitest';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
} from './authorization-v1.ts';
import { leases } from './coordination-v1.ts';
import { created, row, texts, updated } from './fixture.ts';
import { priorityLevelConfigurations } from './flowcontrol-v1beta2.ts';
import { podSecurityPolicies } from './policy-v1beta1.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac-v1.ts';

const GROUP = 'rbac.authorization.orch.io';

describe('a PolicyRule', () => {
  it.each<[object, string[]]>([
    [
      { apiGroups: [''], resources: ['pods'] },
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      { verbs: ['get'], apiGroups: [''] },
      ['rules[0].resources: Required value: resource rules must supply at least one resource'],
    ],
    [
      { verbs: ['get'], resources: ['pods'] },
      ['rules[0].apiGroups: Required value: resource rules must supply at least one api group'],
    ],
    [
      { verbs: ['get'], nonResourceURLs: ['/x'] },
      [
        'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs',
      ],
    ],
  ])('in a Role, %j, has the errors %j', (rule, errors) => {
    expect(texts(created(roles, { metadata: { name: 'r', namespace: 'd' }, rules: [rule] }).errors)).toEqual(
      errors,
    );
  });

  it('in a ClusterRole has either resources or URLs', () => {
    const errors = (rule: object) =>
      texts(created(clusterRoles, { metadata: { name: 'r' }, rules: [rule] }).errors);
    expect(errors({ verbs: ['get'], nonResourceURLs: ['/x'] })).toEqual([]);
    expect(errors({ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'] })).toEqual([
      'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  it('requires selectors in an aggregation', () => {
    const body = { metadata: { name: 'r' }, rules: [], aggregationRule: {} };
    expect(texts(created(clusterRoles, body).errors)).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
  });
});

describe('a RoleBinding or ClusterRoleBinding', () => {
  const binding = (roleRef: object, ...subjects: object[]) => ({
    metadata: { name: 'b', namespace: 'd', resourceVersion: '1' },
    roleRef,
    subjects,
  });
  const view = { kind: 'ClusterRole', name: 'view' };

  it('has default groups of its role and subjects', () => {
    const { object, errors } = created(
      roleBindings,
      binding(view, { kind: 'User', name: 'a' }, { kind: 'ServiceAccount', name: 'sa', namespace: 'd' }),
    );
    expect(errors).toEqual([]);
    expect(object.roleRef.apiGroup).toBe(GROUP);
    expect(object.subjects?.map((subject) => subject.apiGroup)).toEqual([GROUP, undefined]);
  });

  it('is rejected with unknown kinds of roles and subjects', () => {
    expect(texts(created(roleBindings, binding({}, { kind: 'Nope' })).errors)).toEqual([
      'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
      'subjects[0].name: Required value',
      'subjects[0].kind: Unsupported value: "Nope": supported values: "ServiceAccount", "User", "Group"',
    ]);
  });

  it('for the whole cluster may not refer to a Role, and requires namespaces of ServiceAccounts', () => {
    const { errors } = created(
      clusterRoleBindings,
      binding({ kind: 'Role', name: 'r' }, { kind: 'ServiceAccount', name: 'sa' }),
    );
    expect(texts(errors)).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'subjects[0].namespace: Required value',
    ]);
  });

  it('has an immutable role', () => {
    const { object } = created(roleBindings, binding(view));
    const { errors } = updated(roleBindings, object, (draft) => (draft.roleRef.name = 'edit'));
    expect(texts(errors)).toEqual([
      `roleRef: Invalid value: rbac.RoleRef{APIGroup:"${GROUP}", Kind:"ClusterRole", Name:"edit"}: cannot change roleRef`,
    ]);
  });

  it('shows its role and subjects in its row', () => {
    const { object } = created(
      roleBindings,
      binding(
        view,
        { kind: 'User', name: 'a' },
        { kind: 'User', name: 'b' },
        { kind: 'ServiceAccount', name: 's', namespace: 'd' },
      ),
    );
    expect(row(roleBindings, object)).toMatchObject({
      Role: 'ClusterRole/view',
      Users: 'a, b',
      Groups: '',
      ServiceAccounts: 'd/s',
    });
  });
});

describe('a PriorityLevelConfiguration', () => {
  const level = (spec: object, name = 'l') => ({ metadata: { name }, spec });
  const queue = (queuing: object = {}) => ({
    type: 'Limited',
    limited: { limitResponse: { type: 'Queue', queuing } },
  });
  const errors = (body: object) => texts(created(priorityLevelConfigurations, body).errors);

  it('has 30 shares, 64 queues of length 50 and a hand size of 8 by default', () => {
    const { object } = created(priorityLevelConfigurations, level(queue()));
    expect(object.spec?.limited).toEqual({
      assuredConcurrencyShares: 30,
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
    });
    expect(row(priorityLevelConfigurations, object)).toMatchObject({
      AssuredConcurrencyShares: 30,
      Queues: 64,
    });
  });

  it.each<[object, string]>([
    [level({ type: 'Limited' }), 'spec.limited: Required value: must not be empty when type is Limited'],
    [
      level({ type: 'Exempt' }),
      "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if `name` is 'exempt'",
    ],
    [
      level({ type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } }, 'exempt'),
      'spec.limited: Forbidden: must be nil if the type is not Limited',
    ],
    [
      level({ type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } }),
      'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
    ],
    [
      level(queue({ queues: 4 })),
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (4)',
    ],
    [
      level(queue({ queues: 1024 })),
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1024 and handSize 8 should not be greater than 60',
    ],
    [
      level(queue({ queueLengthLimit: -1 })),
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
    ],
  ])('is rejected with %j', (body, error) => {
    expect(errors(body)).toContain(error);
  });

  it('with the name exempt or catch-all must have its fixed spec', () => {
    expect(errors(level({ type: 'Exempt' }, 'exempt'))).toEqual([]);
    expect(errors(level(queue(), 'catch-all'))).toEqual([
      expect.stringMatching(/^spec: .*: spec of 'catch-all' must equal the fixed value$/),
    ]);
  });
});

describe('a SubjectAccessReview', () => {
  const resourceAttributes = { namespace: 'd', verb: 'get', resource: 'pods' };
  const nonResourceAttributes = { path: '/x', verb: 'get' };

  it('requires a user and one kind of attributes', () => {
    expect(texts(created(subjectAccessReviews, { spec: {} }).errors).slice(0, 2)).toEqual([
      'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ]);
    expect(
      texts(
        created(selfSubjectAccessReviews, { spec: { resourceAttributes, nonResourceAttributes } }).errors,
      )[0],
    ).toBe(
      'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/x", Verb:"get"}: cannot be specified in combination with resourceAttributes',
    );
  });

  it('in a namespace must be about that namespace', () => {
    const body = { metadata: { namespace: 'other' }, spec: { user: 'a', resourceAttributes } };
    expect(texts(created(localSubjectAccessReviews, body).errors)).toContain(
      'spec.resourceAttributes.namespace: Invalid value: "d": must match metadata.namespace',
    );
  });
});

describe('a Lease', () => {
  it('is rejected with a duration of zero or with negative transitions', () => {
    const spec = { leaseDurationSeconds: 0, leaseTransitions: -1 };
    expect(texts(created(leases, { metadata: { name: 'l', namespace: 'd' }, spec }).errors)).toEqual([
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must to greater or equal than 0',
    ]);
  });
});

describe('a PodSecurityPolicy', () => {
  const rules = {
    runAsUser: { rule: 'RunAsAny' },
    seLinux: { rule: 'RunAsAny' },
    supplementalGroups: { rule: 'RunAsAny' },
    fsGroup: { rule: 'RunAsAny' },
  };
  const made = (spec: object) =>
    created(podSecurityPolicies, { metadata: { name: 'p' }, spec: { ...rules, ...spec } });

  it.each<[string, object, readonly string[]]>([
    ['only its required fields', {}, []],
    [
      'an unknown volume type',
      { volumes: ['*', 'tape'] },
      [
        expect.stringMatching(
          /^spec\.volumes: Unsupported value: "tape": supported values: "\*", "aws/,
        ) as never,
      ],
    ],
    [
      'a primary group rule without ranges',
      { runAsGroup: { rule: 'MustRunAs' } },
      [expect.stringMatching(/^spec\.runAsGroup\.ranges: .*: must provide at least one range$/) as never],
    ],
    [
      'a range whose maximum is below its minimum',
      { runAsUser: { rule: 'MustRunAs', ranges: [{ min: 5, max: -1 }] } },
      [
        'spec.runAsUser.ranges[0].max: Invalid value: -1: max cannot be negative',
        'spec.runAsUser.ranges[0].min: Invalid value: 5: min cannot be greater than max',
      ],
    ],
    [
      'a capability that is both dropped and allowed',
      { requiredDropCapabilities: ['A'], allowedCapabilities: ['*', 'A'] },
      [
        'requiredDropCapabilities: Invalid value: []core.Capability{"A"}: must be empty when all capabilities are allowed by a wildcard',
        'allowedCapabilities: Invalid value: "A": capability is listed in allowedCapabilities and requiredDropCapabilities',
      ],
    ],
    [
      'drivers without names',
      { allowedFlexVolumes: [{ driver: '' }], allowedCSIDrivers: [{ name: 'a b' }] },
      [
        'spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver',
        expect.stringMatching(
          /^spec\.allowedCSIDrivers\.allowedCSIDriver\[0\]\.name: Invalid value: "a b"/,
        ) as never,
      ],
    ],
    [
      'a host path with backsteps and an empty host path',
      { allowedHostPaths: [{ pathPrefix: '/a/../b' }, {}, { pathPrefix: '/..' }] },
      [
        `spec.allowedHostPaths[0]: Invalid value: "/a/../b": must not contain '..'`,
        'spec.allowedHostPaths[1]: Required value: is required',
      ],
    ],
    [
      'sysctls that overlap',
      { allowedUnsafeSysctls: ['net.*', 'a'], forbiddenSysctls: ['net.ipv4.x', 'a'] },
      [
        'spec.forbiddenSysctls[0]: Invalid value: "net.ipv4.x": sysctl overlaps with net.*',
        'spec.allowedUnsafeSysctls[1]: Invalid value: "a": sysctl overlaps with a',
      ],
    ],
    [
      'invalid sysctls',
      { forbiddenSysctls: ['*', '', 'B'] },
      [
        'spec.forbiddenSysctls[1]: Invalid value: "": empty sysctl not allowed',
        expect.stringMatching(/^spec\.forbiddenSysctls\[2\]: .*: must have at most 253 characters/) as never,
        `spec.forbiddenSysctls.items: Forbidden: if '*' is present, must not specify other sysctls`,
      ],
    ],
    [
      'a default runtime class that is not allowed',
      { runtimeClass: { allowedRuntimeClassNames: ['a', 'a'], defaultRuntimeClassName: 'b' } },
      [
        'spec.runtimeClass.allowedRuntimeClassNames[1]: Duplicate value: "a"',
        'spec.runtimeClass.allowedRuntimeClassNames: Required value: default "b" must be allowed',
      ],
    ],
    [
      'a runtime class next to the wildcard',
      { runtimeClass: { allowedRuntimeClassNames: ['*', 'a'] } },
      [
        `spec.runtimeClass.allowedRuntimeClassNames: Invalid value: []string{"*", "a"}: if '*' is present, must not specify other RuntimeClass names`,
      ],
    ],
  ])('with %s has the errors of upstream', (_what, spec, complaints) =>
    expect(texts(made(spec).errors)).toEqual(complaints),
  );

  it('drops the fields of a disabled feature gate', () => {
    expect(made({ allowedProcMountTypes: ['Unmasked'] }).object.spec).not.toHaveProperty(
      'allowedProcMountTypes',
    );
  });
});
