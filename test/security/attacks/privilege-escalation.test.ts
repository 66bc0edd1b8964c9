import { describe, expect, it } from 'vitest';
import { binding, IN_N, made, RBAC, role, send, attackNewCluster } from './attacked-cluster.ts';

attackNewCluster();

describe('privilege escalation', () => {
  const secrets = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const roles = `${RBAC}/namespaces/n/roles`;
  const bindings = `${RBAC}/namespaces/n/rolebindings`;
  const typed = (kind: string, object: object) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    ...object,
  });
  const APPLY = 'application/apply-patch+yaml';
  const editor = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'editor' };

  it.each([
    ['create', 'POST', roles, role('mine', secrets), 'application/json'],
    ['update', 'PUT', `${roles}/maps`, role('maps', secrets), 'application/json'],
    ['merge patch', 'PATCH', `${roles}/maps`, { rules: secrets }, 'application/merge-patch+json'],
    [
      'strategic patch',
      'PATCH',
      `${roles}/maps`,
      { rules: secrets },
      'application/strategic-merge-patch+json',
    ],
    [
      'JSON patch',
      'PATCH',
      `${roles}/maps`,
      [{ op: 'add', path: '/rules/-', value: secrets[0] }],
      'application/json-patch+json',
    ],
    [
      'apply',
      'PATCH',
      `${roles}/maps?fieldManager=m&force=true`,
      typed('Role', role('maps', secrets)),
      APPLY,
    ],
    [
      'apply of a new role',
      'PATCH',
      `${roles}/new?fieldManager=m`,
      typed('Role', role('new', secrets)),
      APPLY,
    ],
    [
      'a wildcard',
      'POST',
      roles,
      role('any', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
      'application/json',
    ],
    [
      'an aggregation rule',
      'PATCH',
      `${RBAC}/clusterroles/mine?fieldManager=m`,
      typed('ClusterRole', {
        metadata: { name: 'mine' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: {} }] },
      }),
      APPLY,
    ],
    [
      'binding',
      'POST',
      bindings,
      binding('mine', 'ClusterRole', 'cluster-admin', 'editor'),
      'application/json',
    ],
    [
      'binding for the whole cluster',
      'POST',
      `${RBAC}/clusterrolebindings`,
      binding('mine', 'ClusterRole', 'cluster-admin', 'editor'),
      'application/json',
    ],
    ['subjects by patch', 'PATCH', `${bindings}/all`, { subjects: [editor] }, 'application/merge-patch+json'],
    [
      'subjects by JSON patch',
      'PATCH',
      `${bindings}/all`,
      [{ op: 'add', path: '/subjects/-', value: editor }],
      'application/json-patch+json',
    ],
    [
      'apply of a binding',
      'PATCH',
      `${bindings}/mine?fieldManager=m`,
      typed('RoleBinding', binding('mine', 'ClusterRole', 'cluster-admin', 'editor')),
      APPLY,
    ],
  ] as const)('is rejected: %s', async (_name, method, path, body, type) => {
    const { status } = await send('editor', method, path, body, type);
    expect(status).toBe(403);
    expect((await send('editor', 'GET', `${IN_N}/secrets/s`)).status).toBe(403);
  });

  it("is rejected for the user's own binding redirected to another role", async () => {
    await made(bindings, binding('own', 'Role', 'maps', 'editor'));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const { status } = await send(
      'editor',
      'PATCH',
      `${bindings}/own`,
      { roleRef },
      'application/merge-patch+json',
    );
    expect([403, 422]).toContain(status);
    expect((await send('editor', 'GET', `${IN_N}/secrets/s`)).status).toBe(403);
  });
});
