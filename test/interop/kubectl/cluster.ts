import { describe, expect, it } from 'vitest';
import { type Cluster, pod, request } from './manifests.ts';

/** Defines the tests of certificates. */
export function describeCertificates(k: Cluster): void {
  describe('certificates', () => {
    it('are approved, signed, listed and described', async () => {
      await k().run('create -f -', { stdin: JSON.stringify(request('wanted')) });
      expect(await k().run('get csr wanted')).toMatch(
        /^wanted\s+\d+s\s+kubernetes\.io\/kube-apiserver-client\s+kubernetes-admin\s+(?:<none>\s+)?Pending/m,
      );
      expect(await k().run('certificate approve wanted')).toContain('wanted approved');
      await expect.poll(() => k().run('get csr wanted'), { timeout: 60_000 }).toContain('Approved,Issued');
      expect(await k().run('describe csr wanted')).toMatch(/Common Name:\s+wanted/);
    });

    it('are denied', async () => {
      await k().run('create -f -', { stdin: JSON.stringify(request('unwanted')) });
      expect(await k().run('certificate deny unwanted')).toContain('unwanted denied');
      expect(await k().run('get csr unwanted')).toContain('Denied');
    });
  });
}

/** Defines the tests of permissions. */
export function describePermissions(k: Cluster): void {
  describe('permissions', () => {
    it('are reviewed for the user and for other users', async () => {
      expect(await k().run('auth can-i create pods')).toBe('yes\n');
      const other = await k().attempt(['auth', 'can-i', 'create', 'pods', '--as=jane']);
      expect([other.code, other.stdout]).toEqual([1, 'no\n']);
      expect(await k().run('auth can-i --list')).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
      await k().run('create role reader --verb=get --resource=pods');
      await k().run('create rolebinding reader --role=reader --user=jane');
      await expect
        .poll(() => k().attempt(['auth', 'can-i', 'get', 'pods', '--as=jane']))
        .toMatchObject({ stdout: 'yes\n' });
      expect(await k().run('auth can-i --list --as=jane')).toMatch(/^pods\s+\[\]\s+\[\]\s+\[get\]/m);
    });

    it('are denied with a message', async () => {
      const { code, stderr } = await k().attempt(['get', 'secrets', '--as=jane']);
      expect(code).toBe(1);
      expect(stderr).toBe(
        'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"\n',
      );
    });

    it('are reconciled from a manifest', async () => {
      const manifest = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'reconciled' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      };
      expect(await k().run('auth reconcile -f -', { stdin: JSON.stringify(manifest) })).toContain(
        'reconciled',
      );
    });
  });
}

/** Defines the tests of nodes. */
export function describeNodes(k: Cluster): void {
  describe('nodes', () => {
    it('are described, cordoned, tainted and drained', async () => {
      const node = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'node-1' },
        status: { capacity: { cpu: '2' } },
      };
      await k().run('create -f -', { stdin: JSON.stringify(node) });
      await k().run('create -f -', { stdin: pod('on-node', { nodeName: 'node-1' }) });
      expect(await k().run('get nodes')).toMatch(/^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION/);
      expect(await k().run('describe node node-1')).toMatch(/default\s+on-node/);
      expect(await k().run('cordon node-1')).toBe('node/node-1 cordoned\n');
      expect(await k().run('get node node-1')).toContain('SchedulingDisabled');
      expect(await k().run('uncordon node-1')).toBe('node/node-1 uncordoned\n');
      expect(await k().run('taint node node-1 a=b:NoSchedule')).toBe('node/node-1 tainted\n');
      const drained = await k().run('drain node-1 --force --disable-eviction --grace-period=0');
      expect(drained).toContain('node/node-1');
      expect((await k().attempt(['get', 'pod', 'on-node'])).code).toBe(1);
    });
  });
}

/** Defines the tests of invalid manifests. */
export function describeInvalidManifests(k: Cluster): void {
  describe('invalid manifests', () => {
    it.each([
      // Newer clients first look for a custom resource of that kind, which the server does not serve.
      [
        'an unknown kind',
        { apiVersion: 'v1', kind: 'Nope', metadata: { name: 'x' } },
        /no matches for kind "Nope" in version "v1"|failed to check CRD/,
      ],
      [
        'an unknown field',
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'x' },
          spec: { containers: [{ name: 'a', image: 'b' }], nope: 1 },
        },
        /unknown field "(?:spec\.)?nope"/,
      ],
      [
        'a wrong type',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: [] } },
        /invalid type|cannot unmarshal/,
      ],
      [
        'a name that is none',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'X_' } },
        /The ConfigMap "X_" is invalid: metadata\.name: Invalid value: "X_"/,
      ],
      [
        'a schedule that is none',
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'x' },
          spec: {
            schedule: 'nope',
            jobTemplate: {
              spec: {
                template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } },
              },
            },
          },
        },
        /spec\.schedule: Invalid value: "nope"/,
      ],
      [
        'a missing container',
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { containers: [] } },
        /spec\.containers: Required value/,
      ],
      [
        'an absent namespace',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'absent' } },
        /namespaces "absent" not found/,
      ],
    ])('are rejected with a message: %s', async (_what, manifest, says) => {
      const { code, stderr } = await k().attempt(['create', '-f', '-'], { stdin: JSON.stringify(manifest) });
      expect(code).toBe(1);
      expect(stderr).toMatch(says);
    });

    it('are rejected for an object that already exists', async () => {
      await k().run('create configmap twice');
      const { code, stderr } = await k().attempt(['create', 'configmap', 'twice']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /\(AlreadyExists\): (?:error when creating.*)?configmaps "twice" already exists|configmaps "twice" already exists/,
      );
    });
  });
}
