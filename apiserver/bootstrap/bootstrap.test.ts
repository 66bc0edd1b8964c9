import { describe, expect, it } from 'vitest';
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  roleBindings,
  roles,
} from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { PermissionsOf } from '../../api/rbac/controller-permissions.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../api/types/rbac-v1.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { internalError } from '../../api/status/api-error.ts';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AdmissionPlugin } from '../request.ts';
import { createRbacAuthorizer } from '../authorization/rbac.ts';
import { type Fixture, deleting, listing, startFixture, writing } from '../registry/registry.fixture.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import { bootstrapCluster } from './bootstrap.ts';
import { defaultPolicy } from './rbac-roles.ts';

const options = () => ({
  vocabulary: kubernetesVocabulary,
  serverUrl: 'https://10.0.0.1:6443',
  serverCaPem: 'SERVER CA',
  clientCaPem: 'CLIENT CA',
  controllerPermissions,
  signal: new AbortController().signal,
});

const run = (fixture: Fixture): Promise<void> => bootstrapCluster(fixture.registry, options());

async function versions(fixture: Fixture): Promise<readonly unknown[]> {
  const kinds: readonly AnyKind[] = [
    namespaces,
    clusterRoles,
    clusterRoleBindings,
    roles,
    roleBindings,
    configMaps,
  ];
  const lists = await Promise.all(kinds.map((kind) => fixture.of(kind).list(listing({ namespace: '' }))));
  return lists.flatMap(({ items }) =>
    items.map(({ object }) => [object.metadata?.name, object.metadata?.resourceVersion]),
  );
}

const read = async <T>(fixture: Fixture, kind: AnyKind, namespace: string, name: string): Promise<T> =>
  structuredClone((await fixture.of(kind).get(namespace, name, '')).object) as T;

describe('bootstrap of a cluster', () => {
  it('creates namespaces, roles, bindings and the ConfigMaps with certificate authorities', async () => {
    const fixture = await startFixture();
    await run(fixture);
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      await read(fixture, namespaces, '', name);
    expect((await read<ClusterRole>(fixture, clusterRoles, '', 'cluster-admin')).rules).toHaveLength(2);
    const info = await read<ConfigMap>(fixture, configMaps, 'kube-public', 'cluster-info');
    expect(info.data?.['kubeconfig']).toContain('server: "https://10.0.0.1:6443"');
    expect(info.data?.['kubeconfig']).toContain(Buffer.from('SERVER CA').toString('base64'));
    const trust = await read<ConfigMap>(
      fixture,
      configMaps,
      'kube-system',
      'extension-apiserver-authentication',
    );
    expect(trust.data).toEqual({ 'client-ca-file': 'CLIENT CA' });
    await fixture.registry.stop();
  });

  it('bypasses admission that might keep the server from starting', async () => {
    const refuse = (): never => {
      throw internalError('a webhook is out of order');
    };
    const admission: AdmissionPlugin[] = [
      { name: 'Refusing', operations: ['CREATE', 'UPDATE'], mutate: refuse, validate: refuse },
    ];
    const fixture = await startFixture({ admission });
    await run(fixture);
    await bootstrapCluster(fixture.registry, { ...options(), clientCaPem: 'ANOTHER CA' });
    const trust = await read<ConfigMap>(
      fixture,
      configMaps,
      'kube-system',
      'extension-apiserver-authentication',
    );
    expect(trust.data?.['client-ca-file']).toContain('ANOTHER CA');
    await fixture.registry.stop();
  });

  it('writes nothing the second time', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const before = await versions(fixture);
    expect(before.length).toBeGreaterThan(100);
    await run(fixture);
    expect(await versions(fixture)).toEqual(before);
    await fixture.registry.stop();
  });

  it('is safe when two servers start at once', async () => {
    const fixture = await startFixture();
    await Promise.all([run(fixture), run(fixture)]);
    const once = await startFixture();
    await run(once);
    const names = (each: readonly unknown[]): unknown[] => each.map((pair) => (pair as unknown[])[0]);
    expect(names(await versions(fixture))).toEqual(names(await versions(once)));
    await fixture.registry.stop();
    await once.registry.stop();
  });

  it('restores removed rules, keeps added rules, and leaves objects with autoupdate off', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const added = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
    const edit = async (name: string, change: (role: ClusterRole) => void): Promise<void> => {
      const role = await read<ClusterRole>(fixture, clusterRoles, '', name);
      change(role);
      await fixture.of(clusterRoles).update('', name, '', role, writing());
    };
    await edit('system:basic-user', (role) => (role.rules = [added]));
    await edit('system:auth-delegator', (role) => {
      role.rules = [];
      role.metadata = {
        ...role.metadata,
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' },
      };
    });
    await fixture.of(clusterRoles).delete('', 'view', deleting(), writing());
    const binding = await read<ClusterRoleBinding>(fixture, clusterRoleBindings, '', 'system:basic-user');
    await fixture
      .of(clusterRoleBindings)
      .update('', 'system:basic-user', '', { ...binding, subjects: [] }, writing());
    await run(fixture);
    const basic = await read<ClusterRole>(fixture, clusterRoles, '', 'system:basic-user');
    expect(basic.rules).toEqual([
      added,
      expect.objectContaining({ resources: ['selfsubjectaccessreviews'] }),
      expect.objectContaining({ resources: ['selfsubjectrulesreviews'] }),
      expect.objectContaining({ resources: ['selfsubjectreviews'] }),
    ]);
    expect((await read<ClusterRole>(fixture, clusterRoles, '', 'system:auth-delegator')).rules ?? []).toEqual(
      [],
    );
    await read(fixture, clusterRoles, '', 'view');
    const repaired = await read<ClusterRoleBinding>(fixture, clusterRoleBindings, '', 'system:basic-user');
    expect(repaired.subjects).toHaveLength(1);
    await fixture.registry.stop();
  });

  it('recreates a binding that refers to another role', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const name = 'system:discovery';
    const binding = await read<ClusterRoleBinding>(fixture, clusterRoleBindings, '', name);
    await fixture.of(clusterRoleBindings).delete('', name, deleting(), writing());
    const { apiGroup } = binding.roleRef;
    const wrong = {
      ...binding,
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
    };
    await fixture.of(clusterRoleBindings).create('', wrong, writing());
    await run(fixture);
    expect((await read<ClusterRoleBinding>(fixture, clusterRoleBindings, '', name)).roleRef.name).toBe(name);
    await fixture.registry.stop();
  });

  it('lets everyone read cluster-info and no other object of its namespace', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const { registry } = fixture;
    const rbac = createRbacAuthorizer(
      {
        roles: registry.reader(roles),
        clusterRoles: registry.reader(clusterRoles),
        roleBindings: registry.reader(roleBindings),
        clusterRoleBindings: registry.reader(clusterRoleBindings),
      },
      kubernetesVocabulary,
    );
    const ask = async (name: string, verb = 'get') => {
      const user = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
      const at = {
        group: '',
        version: 'v1',
        resource: 'configmaps',
        subresource: '',
        namespace: 'kube-public',
        path: '',
      };
      return (await rbac.authorize({ ...at, user, verb, name, isResourceRequest: true })).verdict;
    };
    expect(await ask('cluster-info')).toBe('allow');
    expect(await ask('other')).toBe('no-opinion');
    expect(await ask('cluster-info', 'update')).toBe('no-opinion');
    rbac.stop();
    await fixture.registry.stop();
  });
});

describe('default policy', () => {
  it('limits the client certificate for node agents to the API of nodes', () => {
    const { clusterRoles: all, clusterRoleBindings: bindings } = defaultPolicy(
      kubernetesVocabulary,
      controllerPermissions,
    );
    const group = 'system:kubelet-api-admin';
    const bound = bindings.filter(({ subjects }) => subjects?.some(({ name }) => name === group));
    expect(bound.map(({ roleRef }) => roleRef.name)).toEqual([group]);
    const resources = all
      .find(({ metadata }) => metadata?.name === group)
      ?.rules?.flatMap((each) => each.resources);
    expect(resources?.every((each) => each?.startsWith('nodes'))).toBe(true);
  });

  it('contains no word of another vocabulary', () => {
    expect(JSON.stringify(defaultPolicy(orchVocabulary, controllerPermissions))).not.toMatch(/kube|k8s/);
  });

  it('merges the rules of controllers that share an account without duplicates', () => {
    const sharing =
      (...verbs: readonly string[]): PermissionsOf =>
      (r) => ({ account: 'shared', everywhere: verbs.map((verb) => r.can(verb, 'core', 'pods')) });
    const policy = defaultPolicy(kubernetesVocabulary, [sharing('get', 'list'), sharing('list', 'watch')]);
    const role = policy.clusterRoles.find(({ metadata }) => metadata?.name === 'system:controller:shared');
    expect(role?.rules?.flatMap(({ verbs }) => verbs)).toEqual(['get', 'list', 'watch']);
  });

  it('binds only roles that it defines', () => {
    const policy = defaultPolicy(kubernetesVocabulary, controllerPermissions);
    const known = new Set(policy.clusterRoles.map(({ metadata }) => metadata?.name));
    for (const { roleRef } of policy.clusterRoleBindings) expect(known).toContain(roleRef.name);
    const local = new Set(policy.roles.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`));
    for (const { metadata, roleRef } of policy.roleBindings)
      expect(local).toContain(`${metadata?.namespace}/${roleRef.name}`);
  });
});
