import { describe, expect, it } from 'vitest';
import { at } from '../../e2e/api.ts';
import type { Client } from '../clients.ts';
import { type Cluster, configMap, jsonOf, pod } from './manifests.ts';

/** Defines the tests of discovery. */
export function describeDiscovery(k: Cluster): void {
  describe('discovery', () => {
    it('lists versions, groups and resources', async () => {
      expect(await k().run('version')).toMatch(/Server Version.*v1\.24\.\d+/);
      const versions = (await k().run('api-versions')).split('\n');
      expect(versions).toEqual(
        expect.arrayContaining(['v1', 'batch/v1', 'certificates.k8s.io/v1', 'rbac.authorization.k8s.io/v1']),
      );
      const resources = await k().run('api-resources -o wide');
      expect(resources).toMatch(/^cronjobs\s+cj\s+batch\/v1\s+true\s+CronJob/m);
      expect(resources).toMatch(/^certificatesigningrequests\s+csr\s+certificates\.k8s\.io\/v1\s+false/m);
      expect((await k().run('api-resources --namespaced=false -o name')).split('\n')).not.toContain('pods');
    });

    it('explains fields', async () => {
      expect(await k().run('explain cronjob.spec.jobTemplate')).toMatch(/FIELDS?:/);
      expect(await k().run('explain pods.spec.containers')).toContain('imagePullPolicy');
      const refused = await k().attempt(['explain', 'cronjob.spec.nope']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nope')]);
    });

    it('shows the health of the cluster', async () => {
      expect(await k().run('get --raw /readyz')).toBe('ok');
    });
  });
}

/** Defines the tests of writing. */
export function describeWriting(k: Cluster, { minor }: Pick<Client, 'minor'>): void {
  describe('writing', () => {
    it('creates objects, changes them, and removes fields by apply', async () => {
      const first = k().file('a.json', configMap('applied', { a: '1', b: '2' }, { labels: { x: 'y' } }));
      expect(await k().run(`apply -f ${first}`)).toBe('configmap/applied created\n');
      expect(await k().run(`apply -f ${first}`)).toBe('configmap/applied unchanged\n');
      const second = k().file('b.json', configMap('applied', { a: '3' }));
      expect(await k().run(`apply -f ${second}`)).toBe('configmap/applied configured\n');
      const object = await jsonOf(k, 'configmap applied');
      expect(at(object, 'data')).toEqual({ a: '3' });
      expect(at(object, 'metadata', 'labels')).toBeUndefined();
    });

    it('applies a CronJob with a changed template', async () => {
      const manifest = (image: string) => `
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj}
spec:
  schedule: '0 0 1 1 *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: a, image: ${image}}, {name: b, image: busybox}]
`;
      await k().run('apply -f -', { stdin: manifest('one') });
      expect(await k().run('apply -f -', { stdin: manifest('two') })).toBe('cronjob.batch/cj configured\n');
      const images = await k().run(
        "get cronjob cj -o jsonpath='{.spec.jobTemplate.spec.template.spec.containers[*].image}'",
      );
      expect(images).toBe('two busybox');
      expect(await k().run('describe cronjob cj')).toContain('0 0 1 1 *');
      expect(await k().run('delete cronjob cj')).toContain('"cj" deleted');
    });

    it('creates a Job from a CronJob', async () => {
      // Before 1.21, kubectl does not know CronJobs of batch/v1 and needs the older version.
      const kind = minor < 21 ? 'cronjob.v1beta1.batch' : 'cronjob';
      await k().run(`create cronjob source --image=busybox --schedule='0 0 1 1 *'`);
      expect(await k().run(`create job from-source --from=${kind}/source`)).toBe(
        'job.batch/from-source created\n',
      );
      expect(at(await jsonOf(k, 'job from-source'), 'metadata', 'ownerReferences', 0, 'kind')).toBe(
        'CronJob',
      );
    });

    it('patches with all three patch types', async () => {
      await k().run('create configmap patched --from-literal=a=1');
      await k().run(`patch configmap patched --type=merge -p '{"data":{"b":"2"}}'`);
      await k().run(`patch configmap patched --type=json -p '[{"op":"remove","path":"/data/a"}]'`);
      expect(at(await jsonOf(k, 'configmap patched'), 'data')).toEqual({ b: '2' });
      await k().run('create -f -', { stdin: pod('patched') });
      await k().run(`patch pod patched -p '{"spec":{"containers":[{"name":"main","image":"changed"}]}}'`);
      expect(await k().run("get pod patched -o jsonpath='{.spec.containers[*].image}'")).toBe('changed');
      const unchanged = await k().run(`patch configmap patched -p '{"data":{"b":"2"}}'`);
      expect(unchanged).toBe('configmap/patched patched (no change)\n');
    });

    it('labels and annotates objects', async () => {
      await k().run('create configmap marked');
      expect(await k().run('label configmap marked team=a')).toBe('configmap/marked labeled\n');
      const refused = await k().attempt(['label', 'configmap', 'marked', 'team=b']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--overwrite is false')]);
      await k().run('label configmap marked team=b --overwrite');
      await k().run('annotate configmap marked note=hello');
      expect(await k().run('get configmap -l team=b -o name')).toBe('configmap/marked\n');
      expect(await k().run('get configmap -l team!=b -o name')).not.toContain('marked');
      await k().run('label configmap marked team-');
      expect(at(await jsonOf(k, 'configmap marked'), 'metadata')).toMatchObject({
        annotations: { note: 'hello' },
      });
      expect(await k().run('get configmap -l team -o name')).toBe('');
    });

    it('replaces and edits objects', async () => {
      await k().run('create -f -', { stdin: configMap('replaced', { a: '1' }) });
      expect(await k().run('replace -f -', { stdin: configMap('replaced', { a: '2' }) })).toBe(
        'configmap/replaced replaced\n',
      );
      const EDITOR = k().editor(`sed -i 's/a: "2"/a: "3"/' "$1"`);
      expect(await k().run('edit configmap replaced', { env: { EDITOR } })).toBe(
        'configmap/replaced edited\n',
      );
      expect(at(await jsonOf(k, 'configmap replaced'), 'data')).toEqual({ a: '3' });
      await k().run('replace --force -f -', { stdin: configMap('replaced', { a: '4' }) });
      expect(at(await jsonOf(k, 'configmap replaced'), 'data')).toEqual({ a: '4' });
    });

    it('shows the diff of an apply', async () => {
      await k().run('apply -f -', { stdin: configMap('differs', { a: '1' }) });
      const same = await k().attempt(['diff', '-f', '-'], { stdin: configMap('differs', { a: '1' }) });
      expect([same.code, same.stdout]).toEqual([0, '']);
      const other = await k().attempt(['diff', '-f', '-'], { stdin: configMap('differs', { a: '2' }) });
      expect(other.code).toBe(1);
      expect(other.stdout).toMatch(/^-\s+a: "1"$/m);
      expect(other.stdout).toMatch(/^\+\s+a: "2"$/m);
      expect(at(await jsonOf(k, 'configmap differs'), 'data')).toEqual({ a: '1' });
    });

    it('stores nothing in a dry run', async () => {
      expect(await k().run('create configmap tried --dry-run=server -o name')).toBe('configmap/tried\n');
      expect((await k().attempt(['get', 'configmap', 'tried'])).stderr).toContain(
        'configmaps "tried" not found',
      );
    });
  });
}

/** Defines the tests of creating. */
export function describeCreating(k: Cluster): void {
  describe('creating', () => {
    it.each([
      ['secret generic s1 --from-literal=a=b', 'secret/s1 created'],
      [
        'secret docker-registry s2 --docker-server=r.example --docker-username=u --docker-password=p',
        'secret/s2 created',
      ],
      ['configmap c1 --from-literal=a=b', 'configmap/c1 created'],
      ['serviceaccount a1', 'serviceaccount/a1 created'],
      ['namespace n1', 'namespace/n1 created'],
      ['role r1 --verb=get,list --resource=pods', 'role.rbac.authorization.k8s.io/r1 created'],
      ['clusterrole r1 --verb=get --resource=nodes', 'clusterrole.rbac.authorization.k8s.io/r1 created'],
      [
        'clusterrole r2 --verb=get --non-resource-url=/logs/*',
        'clusterrole.rbac.authorization.k8s.io/r2 created',
      ],
      [
        'rolebinding b1 --role=r1 --serviceaccount=default:a1',
        'rolebinding.rbac.authorization.k8s.io/b1 created',
      ],
      [
        'clusterrolebinding b1 --clusterrole=r1 --user=jane',
        'clusterrolebinding.rbac.authorization.k8s.io/b1 created',
      ],
      ['job j1 --image=busybox', 'job.batch/j1 created'],
      [`cronjob cj1 --image=busybox --schedule='*/5 * * * *'`, 'cronjob.batch/cj1 created'],
    ])('runs create %s', async (argv, says) => {
      expect(await k().run(`create ${argv}`)).toBe(`${says}\n`);
    });

    it('runs a pod', async () => {
      expect(await k().run('run runner --image=busybox --restart=Never --labels=app=r -- sleep 1')).toBe(
        'pod/runner created\n',
      );
      expect(await k().run("get pod runner -o jsonpath='{.spec.containers[0].args}'")).toBe('["sleep","1"]');
    });
  });
}
