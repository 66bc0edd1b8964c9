import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterRoles, roleBindings, roles } from '../../api/groups/index.ts';
import type { ApiObject, UserInfo } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from '../../api/types/rbac-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { admissionRequest } from '../admission/request.fixture.ts';
import type { AdmissionRequest } from '../request.ts';
import { compileRule, ruleSubject } from './compiled-rule.ts';
import { createEscalationCheck } from './escalation.ts';
import { createRbacAuthorizer } from './rbac.ts';
import { fixtureReader } from './reader.fixture.ts';
import { uncovered } from './rule-coverage.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const alice: UserInfo = { username: 'alice', groups: ['devs', 'testers', 'system:authenticated'] };

function check(...held: PolicyRule[]) {
  const readers = {
    clusterRoles: fixtureReader<ClusterRole>([
      { metadata: { name: 'held' }, rules: held },
      { metadata: { name: 'secret-reader' }, rules: [secrets] },
    ]),
    clusterRoleBindings: fixtureReader<ClusterRoleBinding>([
      {
        metadata: { name: 'b' },
        subjects: [{ kind: 'User', apiGroup, name: 'alice' }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'held' },
      },
    ]),
    roles: fixtureReader<Role>(),
    roleBindings: fixtureReader<RoleBinding>(),
  };
  const rbac = createRbacAuthorizer(readers, kubernetesVocabulary);
  const plugin = createEscalationCheck({ rbac, readers, authorizer: rbac, vocabulary: kubernetesVocabulary });
  return (kind: AnyKind, object: ApiObject, over: Partial<AdmissionRequest> = {}) =>
    plugin.validate?.(
      admissionRequest({ kind, namespace: 'hf', user: alice, object, ...over }),
      new AbortController().signal,
    );
}

const secrets: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const esc: Role = { metadata: { name: 'esc', namespace: 'hf' }, rules: [secrets] };

describe('escalation check', () => {
  it("rejects a role with permissions that the writer lacks, with upstream's message", async () => {
    await expect(check()(roles, esc)).rejects.toThrow(
      'roles.rbac.authorization.k8s.io "esc" is forbidden: user "alice" (groups=["devs" "testers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
  });

  it('allows permissions that the writer has, or any with the verb escalate', async () => {
    await check({ apiGroups: ['*'], resources: ['*'], verbs: ['get'] })(roles, esc);
    await check({ apiGroups: [apiGroup], resources: ['roles'], verbs: ['escalate'] })(roles, esc);
    await check()(roles, esc, { user: { username: 'root', groups: ['system:masters'] } });
  });

  it('lets the garbage collector remove owners and finalizers', async () => {
    const previous: Role = { ...esc, metadata: { ...esc.metadata, finalizers: ['a/b'] } };
    await check()(roles, esc, { operation: 'UPDATE', previous });
    await expect(
      check()(roles, { ...esc, rules: [secrets, secrets] } as Role, { operation: 'UPDATE', previous }),
    ).rejects.toThrow('not currently held');
  });

  it('requires all permissions for writing an aggregation rule', async () => {
    const role: ClusterRole = {
      metadata: { name: 'x' },
      rules: [],
      aggregationRule: { clusterRoleSelectors: [{}] },
    };
    await expect(check(secrets)(clusterRoles, role, { namespace: '' })).rejects.toThrow(
      'must have cluster-admin privileges to use the aggregationRule',
    );
  });

  it('rejects a binding to a role with permissions that the writer lacks, except with the verb bind', async () => {
    const bind: RoleBinding = {
      metadata: { name: 'b', namespace: 'hf' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'secret-reader' },
    };
    await expect(check()(roleBindings, bind)).rejects.toThrow('is attempting to grant RBAC permissions');
    await check(secrets)(roleBindings, bind);
    await check({
      apiGroups: [apiGroup],
      resources: ['clusterroles'],
      verbs: ['bind'],
      resourceNames: ['secret-reader'],
    })(roleBindings, bind);
    await expect(
      check()(roleBindings, { ...bind, roleRef: { ...bind.roleRef, name: 'gone' } } as RoleBinding),
    ).rejects.toThrow('clusterroles.rbac.authorization.k8s.io "gone" not found');
  });
});

describe('comparison of rules', () => {
  const word = (...words: string[]) =>
    fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
  const rule = fc.record({
    verbs: word('get', 'list', '*'),
    apiGroups: word('', 'apps', '*'),
    resources: word('pods', 'pods/log', '*/log', '*', 'x'),
    resourceNames: fc.oneof(fc.constant([]), word('a', 'b')),
  });

  it('never omits a permission that the held rules do not allow', () => {
    const requests = ['get', 'list'].flatMap((verb) =>
      ['', 'apps'].flatMap((group) =>
        [
          ['pods', ''],
          ['pods', 'log'],
          ['x', 'log'],
          ['y', ''],
        ].flatMap(([resource = '', subresource = '']) =>
          ['a', 'b', 'c'].map((name) =>
            ruleSubject({
              user: alice,
              verb,
              group,
              resource,
              subresource,
              name,
              isResourceRequest: true,
              path: '',
              version: 'v1',
              namespace: '',
            }),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), rule, (held, wanted) => {
        if (uncovered(held, [wanted]).rules.length > 0) return;
        const allows = compileRule(wanted);
        const holds = held.map(compileRule);
        for (const request of requests)
          if (allows(request)) expect(holds.some((hold) => hold(request))).toBe(true);
      }),
    );
  });
});
