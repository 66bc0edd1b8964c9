import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../e2e/api.ts';
import { findPacked } from './clients.ts';
import { type KubectlFixture, startKubectlFixture } from './kubectl.ts';
import { chart } from './session/chart.ts';

const KINDS = [
  'api/v1 serviceaccounts',
  'apis/rbac.authorization.k8s.io/v1 roles',
  'apis/rbac.authorization.k8s.io/v1 rolebindings',
  'api/v1 configmaps',
  'apis/apps/v1 deployments',
  'apis/batch/v1 cronjobs',
  'apis/autoscaling/v2 horizontalpodautoscalers',
  'apis/policy/v1 poddisruptionbudgets',
  'api/v1 services',
  'apis/networking.k8s.io/v1 ingresses',
  'apis/networking.k8s.io/v1 networkpolicies',
  'api/v1 persistentvolumeclaims',
];

// The versions of helm are 3.9, 3.17 and 4.1.
for (const minor of [24, 31, 34] as const) {
  const helm = await findPacked('helm', minor, `helm that comes with kubectl 1.${minor}`);

  describe.skipIf(helm.missing)(`helm packed with kubectl 1.${minor}`, () => {
    let h: KubectlFixture;
    beforeAll(async () => {
      h = await startKubectlFixture(helm.path);
      for (const [name, text] of Object.entries(chart)) h.file(name, text);
    });
    afterAll(() => h?.close());

    const greeting = async (): Promise<unknown> =>
      at((await h.api.call('GET', '/api/v1/namespaces/default/configmaps/shop')).json, 'data', 'greeting');
    const statuses = () =>
      Promise.all(
        KINDS.map(async (each) => {
          const [prefix = '', plural = ''] = each.split(' ');
          return (await h.api.call('GET', `/${prefix}/namespaces/default/${plural}/shop`)).status;
        }),
      );

    it('installs a chart with every kind and its hooks', async () => {
      const told = await h.run('install shop chart');
      expect(told).toMatch(/^STATUS: deployed\nREVISION: 1$/m);
      expect(told).toMatch(/^Served by v1\.24\.\d+\.$/m);
      expect(await statuses()).toEqual(KINDS.map(() => 200));
      const before = await h.api.call('GET', '/api/v1/namespaces/default/configmaps/shop-before');
      expect(at(before.json, 'data')).toEqual({ revision: '1' });
      expect((await h.api.call('GET', '/api/v1/namespaces/default/secrets/shop-after')).status).toBe(404);
    });

    it('rejects a name in use, and an object that another release owns', async () => {
      const again = await h.attempt(['install', 'shop', 'chart']);
      expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/cannot re-?use a name/)]);
      await h.api.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
        body: { metadata: { name: 'other' } },
      });
      const taken = await h.attempt(['install', 'other', 'chart']);
      expect([taken.code, taken.stderr]).toEqual([
        1,
        expect.stringMatching(/exists and cannot be imported into the current release/),
      ]);
    });

    it('shows status and history', async () => {
      expect(await h.run('list')).toMatch(/^shop\s+default\s+1\s+.*deployed\s+shop-0\.1\.0\s+1/m);
      expect(await h.run('status shop')).toMatch(/^STATUS: deployed$/m);
      expect(await h.run('get manifest shop')).toContain('kind: NetworkPolicy');
      expect(await h.run('get values shop --all -o json')).toContain('"greeting":"hello"');
      expect(await h.run('get hooks shop')).toContain('name: shop-before');
      expect(await h.run('template tried chart --validate')).toContain('name: tried');
    });

    it('upgrades changed fields, keeps changes of others, and runs hooks again', async () => {
      const noted = { metadata: { annotations: { note: 'kept' } } };
      const path = '/apis/apps/v1/namespaces/default/deployments/shop';
      expect((await h.api.call('PATCH', path, { body: noted })).status).toBe(200);
      expect(await h.run('upgrade shop chart --set greeting=bye')).toMatch(/^REVISION: 2$/m);
      expect(await greeting()).toBe('bye');
      const { json } = await h.api.call('GET', path);
      expect(at(json, 'spec', 'template', 'spec', 'containers', 0, 'env')).toEqual([
        { name: 'GREETING', value: 'bye' },
      ]);
      expect(at(json, 'metadata', 'annotations', 'note')).toBe('kept');
      const before = await h.api.call('GET', '/api/v1/namespaces/default/configmaps/shop-before');
      expect(at(before.json, 'data')).toEqual({ revision: '2' });
    });

    it('marks an upgrade that the server rejects as failed', async () => {
      const { code, stderr } = await h.attempt(['upgrade', 'shop', 'chart', '--set', 'replicas=-1']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/spec\.replicas: Invalid value: -1: must be greater than or equal to 0/);
      expect(await h.run('history shop')).toMatch(/^3\s+.*failed/m);
    });

    it('rolls back to an earlier revision', async () => {
      expect(await h.run('rollback shop 1')).toContain('Rollback was a success! Happy Helming!');
      expect(await greeting()).toBe('hello');
      expect(await h.run('history shop')).toMatch(/^4\s+.*deployed\s+shop-0\.1\.0\s+1\s+Rollback to 1/m);
    });

    it('starts a test pod, which cannot finish without a node', async () => {
      const running = h.begin(['test', 'shop', '--timeout', '20s']);
      const path = '/api/v1/namespaces/default/pods/shop-test';
      await expect.poll(async () => (await h.api.call('GET', path)).status, { timeout: 60_000 }).toBe(200);
      await h.api.call('PATCH', `${path}/status`, { body: { status: { phase: 'Succeeded' } } });
      expect(await running.exit(25_000)).toMatchObject({ code: 0 });
      expect(running.stdout).toMatch(/^Phase:\s+Succeeded$/m);
    });

    it('uninstalls a release', async () => {
      expect(await h.run('uninstall shop')).toBe('release "shop" uninstalled\n');
      expect(await statuses()).toEqual(KINDS.map(() => 404));
      expect(await h.run('list -q')).not.toContain('shop');
    });
  });
}
