import { describe, expect, it } from 'vitest';
import { at } from '../../e2e/api.ts';
import { type Cluster, configMap, jsonOf, pod } from './manifests.ts';

/** Defines the tests of reading. */
export function describeReading(k: Cluster): void {
  describe('reading', () => {
    it('prints tables, wide tables, and custom columns', async () => {
      await k().run('apply -f -', { stdin: pod('seen') });
      expect(await k().run('get pod seen')).toMatch(
        /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s*\nseen\s+0\/1\s+Pending\s+0\s+\d+s\s*$/m,
      );
      expect(await k().run('get pod seen -o wide')).toMatch(
        /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE\s+NOMINATED NODE\s+READINESS GATES/,
      );
      expect(await k().run('get cronjob')).toMatch(
        /^NAME\s+SCHEDULE\s+SUSPEND\s+ACTIVE\s+LAST SCHEDULE\s+AGE/,
      );
      expect(
        await k().run('get pod seen -o custom-columns=N:.metadata.name,I:.spec.containers[0].image'),
      ).toMatch(/^N\s+I\nseen\s+busybox\n$/);
      expect(await k().run('get pod seen -o yaml')).toContain('kind: Pod\n');
      expect(await k().run("get pod seen -o jsonpath='{.metadata.name}'")).toBe('seen');
      expect(await k().run('get pods,configmaps -A --show-labels')).toContain('kube-root-ca.crt');
      expect(await k().run('get pods --field-selector=metadata.name=seen -o name')).toBe('pod/seen\n');
      expect(await k().run('get all')).toContain('pod/seen');
      expect(await k().run('get pod --sort-by=.metadata.name -o name')).toContain('pod/seen');
    });

    it('reads in pages', async () => {
      expect(await k().run('get clusterroles --chunk-size=5 -o name')).toContain(
        'clusterrole.rbac.authorization.k8s.io/view\n',
      );
    });

    it('describes objects', async () => {
      expect(await k().run('describe pod seen')).toMatch(/^Name:\s+seen$/m);
      await k().run('create secret generic described --from-literal=key=value');
      const secret = await k().run('describe secret described');
      expect(secret).toMatch(/^key:\s+5 bytes$/m);
      expect(secret).not.toContain('value');
      expect(await k().run('describe namespace default')).toMatch(/^Status:\s+Active$/m);
      expect(await k().run('describe serviceaccount default')).toMatch(/^Name:\s+default$/m);
      expect(await k().run('describe clusterrole view')).toContain('configmaps');
    });

    it('prints events', async () => {
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e1', namespace: 'default' },
        involvedObject: { kind: 'Pod', name: 'seen', namespace: 'default' },
        reason: 'Tested',
        message: 'was tested',
        type: 'Normal',
        lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
      };
      await k().run('create -f -', { stdin: JSON.stringify(event) });
      expect(await k().run('get events --field-selector=involvedObject.name=seen')).toMatch(
        /Normal\s+Tested\s+pod\/seen\s+was tested/,
      );
    });

    it('watches changes', async () => {
      await k().run('create configmap watched --from-literal=a=1');
      const watch = k().start('get configmap watched --watch -o name');
      await watch.output(/^configmap\/watched\n/);
      await k().run(`patch configmap watched --type=merge -p '{"data":{"a":"2"}}'`);
      await watch.output(/^configmap\/watched\nconfigmap\/watched\n/);
      const table = k().start('get configmaps --watch-only');
      await watch.end('SIGTERM');
      await k().run('create configmap watched-table');
      // The second watch may have started after the first creation, so objects are created until the watch
      // has seen one.
      await expect
        .poll(
          async () => {
            await k().run('annotate configmap watched-table --overwrite at=' + performance.now());
            return table.stdout;
          },
          { timeout: 60_000 },
        )
        .toMatch(/^watched-table\s+0\s+/m);
      await table.end('SIGTERM');
    });

    it('waits for a condition, and for deletion', async () => {
      await k().run('create -f -', { stdin: pod('waited') });
      const waiting = k().start('wait pod/waited --for=condition=Ready --timeout=20s');
      const { status } = await k().api.call('PATCH', '/api/v1/namespaces/default/pods/waited/status', {
        body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      });
      expect(status).toBe(200);
      expect(await waiting.exit(20_000)).toMatchObject({ code: 0 });
      await k().run(`patch pod waited --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`);
      await k().run('delete pod waited --grace-period=0 --force --wait=false');
      const ending = k().start('wait pod/waited --for=delete --timeout=20s -v=6');
      await ending.output(/GET \S+waited/);
      await k().run(`patch pod waited --type=merge -p '{"metadata":{"finalizers":null}}'`);
      expect(await ending.exit(20_000)).toMatchObject({ code: 0 });
    });
  });
}

/** Defines the tests of deleting. */
export function describeDeleting(k: Cluster): void {
  describe('deleting', () => {
    it('waits until the object is deleted', async () => {
      await k().run('create -f -', { stdin: configMap('held', {}, { finalizers: ['example.com/hold'] }) });
      const deleting = k().start('delete configmap held --wait');
      await deleting.output(/"held" deleted/);
      await expect
        .poll(async () => at(await jsonOf(k, 'configmap held'), 'metadata', 'deletionTimestamp'))
        .toBeTypeOf('string');
      expect(deleting.running).toBe(true);
      await k().run(`patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`);
      expect(await deleting.exit(20_000)).toMatchObject({ code: 0 });
    });

    it('deletes dependents with their owner, or orphans them on request', async () => {
      const family = async (owner: string): Promise<void> => {
        await k().run('create -f -', { stdin: configMap(owner, {}) });
        const uid = at(await jsonOf(k, `configmap ${owner}`), 'metadata', 'uid');
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }];
        await k().run('create -f -', { stdin: configMap(`${owner}-child`, {}, { ownerReferences }) });
      };
      await family('mother');
      await k().run('delete configmap mother --cascade=orphan');
      expect(at(await jsonOf(k, 'configmap mother-child'), 'metadata', 'ownerReferences')).toBeUndefined();
      await family('father');
      await k().run('delete configmap father --cascade=foreground');
      expect((await k().attempt(['get', 'configmap', 'father-child'])).code).toBe(1);
      await family('aunt');
      await k().run('delete configmap aunt');
      await expect
        .poll(() => k().attempt(['get', 'configmap', 'aunt-child']), { timeout: 60_000 })
        .toMatchObject({ code: 1 });
    });

    it('deletes by label, and a whole namespace', async () => {
      await k().run('create namespace gone');
      await k().run('create configmap one -n gone');
      await k().run('label configmap one -n gone a=b');
      expect(await k().run('delete configmap -n gone -l a=b')).toContain('"one" deleted');
      await k().run('create configmap two -n gone');
      await k().run('delete namespace gone');
      expect((await k().attempt(['get', 'namespace', 'gone'])).stderr).toContain(
        'namespaces "gone" not found',
      );
    });
  });
}
