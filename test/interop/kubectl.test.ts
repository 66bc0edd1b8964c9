import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { at } from '../e2e/api.ts';
import { findKubectl } from './clients.ts';
import { type KubectlFixture, startKubectlFixture } from './kubectl.ts';

const kubectl = findKubectl('kubectl against the kubernetes vocabulary');

const configMap = (name: string, data: object, more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data });

const pod = (name: string, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...more },
  });

const request = (name: string) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: {
    request: Buffer.from(
      createCertificateRequest(generateKeyPair('ec-p256'), { commonName: name, organizations: ['team'] }),
    ).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
  },
});

describe.skipIf(kubectl.missing)('kubectl', () => {
  let k: KubectlFixture;
  beforeAll(async () => {
    k = await startKubectlFixture(kubectl.path);
    await vi.waitFor(() => k.run('get serviceaccount default'), { timeout: 60_000 });
  });
  afterAll(() => k?.close());

  const json = async (what: string): Promise<unknown> => JSON.parse(await k.run(`get ${what} -o json`));

  describe('discovery', () => {
    it('lists versions, groups and resources', async () => {
      expect(await k.run('version')).toMatch(/Server Version.*v1\.24\.\d+/);
      const versions = (await k.run('api-versions')).split('\n');
      expect(versions).toEqual(
        expect.arrayContaining(['v1', 'batch/v1', 'certificates.k8s.io/v1', 'rbac.authorization.k8s.io/v1']),
      );
      const resources = await k.run('api-resources -o wide');
      expect(resources).toMatch(/^cronjobs\s+cj\s+batch\/v1\s+true\s+CronJob/m);
      expect(resources).toMatch(/^certificatesigningrequests\s+csr\s+certificates\.k8s\.io\/v1\s+false/m);
      expect((await k.run('api-resources --namespaced=false -o name')).split('\n')).not.toContain('pods');
    });

    it('explains fields', async () => {
      expect(await k.run('explain cronjob.spec.jobTemplate')).toMatch(/FIELDS?:/);
      expect(await k.run('explain pods.spec.containers')).toContain('imagePullPolicy');
      const refused = await k.attempt(['explain', 'cronjob.spec.nope']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nope')]);
    });

    it('shows the health of the cluster', async () => {
      expect(await k.run('get --raw /readyz')).toBe('ok');
    });
  });

  describe('writing', () => {
    it('creates, changes, and removes fields by apply', async () => {
      const first = k.file('a.json', configMap('applied', { a: '1', b: '2' }, { labels: { x: 'y' } }));
      expect(await k.run(`apply -f ${first}`)).toBe('configmap/applied created\n');
      expect(await k.run(`apply -f ${first}`)).toBe('configmap/applied unchanged\n');
      const second = k.file('b.json', configMap('applied', { a: '3' }));
      expect(await k.run(`apply -f ${second}`)).toBe('configmap/applied configured\n');
      const object = await json('configmap applied');
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
      await k.run('apply -f -', { stdin: manifest('one') });
      expect(await k.run('apply -f -', { stdin: manifest('two') })).toBe('cronjob.batch/cj configured\n');
      const images = await k.run(
        "get cronjob cj -o jsonpath='{.spec.jobTemplate.spec.template.spec.containers[*].image}'",
      );
      expect(images).toBe('two busybox');
      expect(await k.run('describe cronjob cj')).toContain('0 0 1 1 *');
      expect(await k.run('delete cronjob cj')).toContain('"cj" deleted');
    });

    it('creates a Job from a CronJob', async () => {
      // Before 1.21 the client does not know CronJobs of batch/v1, and needs the older version.
      const kind = kubectl.minor < 21 ? 'cronjob.v1beta1.batch' : 'cronjob';
      await k.run(`create cronjob source --image=busybox --schedule='0 0 1 1 *'`);
      expect(await k.run(`create job from-source --from=${kind}/source`)).toBe(
        'job.batch/from-source created\n',
      );
      expect(at(await json('job from-source'), 'metadata', 'ownerReferences', 0, 'kind')).toBe('CronJob');
    });

    it('patches with all three patch types', async () => {
      await k.run('create configmap patched --from-literal=a=1');
      await k.run(`patch configmap patched --type=merge -p '{"data":{"b":"2"}}'`);
      await k.run(`patch configmap patched --type=json -p '[{"op":"remove","path":"/data/a"}]'`);
      expect(at(await json('configmap patched'), 'data')).toEqual({ b: '2' });
      await k.run('create -f -', { stdin: pod('patched') });
      await k.run(`patch pod patched -p '{"spec":{"containers":[{"name":"main","image":"changed"}]}}'`);
      expect(await k.run("get pod patched -o jsonpath='{.spec.containers[*].image}'")).toBe('changed');
      const unchanged = await k.run(`patch configmap patched -p '{"data":{"b":"2"}}'`);
      expect(unchanged).toBe('configmap/patched patched (no change)\n');
    });

    it('labels and annotates objects', async () => {
      await k.run('create configmap marked');
      expect(await k.run('label configmap marked team=a')).toBe('configmap/marked labeled\n');
      const refused = await k.attempt(['label', 'configmap', 'marked', 'team=b']);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--overwrite is false')]);
      await k.run('label configmap marked team=b --overwrite');
      await k.run('annotate configmap marked note=hello');
      expect(await k.run('get configmap -l team=b -o name')).toBe('configmap/marked\n');
      expect(await k.run('get configmap -l team!=b -o name')).not.toContain('marked');
      await k.run('label configmap marked team-');
      expect(at(await json('configmap marked'), 'metadata')).toMatchObject({
        annotations: { note: 'hello' },
      });
      expect(await k.run('get configmap -l team -o name')).toBe('');
    });

    it('replaces and edits objects', async () => {
      await k.run('create -f -', { stdin: configMap('replaced', { a: '1' }) });
      expect(await k.run('replace -f -', { stdin: configMap('replaced', { a: '2' }) })).toBe(
        'configmap/replaced replaced\n',
      );
      const EDITOR = k.editor(`sed -i 's/a: "2"/a: "3"/' "$1"`);
      expect(await k.run('edit configmap replaced', { env: { EDITOR } })).toBe('configmap/replaced edited\n');
      expect(at(await json('configmap replaced'), 'data')).toEqual({ a: '3' });
      await k.run('replace --force -f -', { stdin: configMap('replaced', { a: '4' }) });
      expect(at(await json('configmap replaced'), 'data')).toEqual({ a: '4' });
    });

    it('shows the diff of an apply', async () => {
      await k.run('apply -f -', { stdin: configMap('differs', { a: '1' }) });
      const same = await k.attempt(['diff', '-f', '-'], { stdin: configMap('differs', { a: '1' }) });
      expect([same.code, same.stdout]).toEqual([0, '']);
      const other = await k.attempt(['diff', '-f', '-'], { stdin: configMap('differs', { a: '2' }) });
      expect(other.code).toBe(1);
      expect(other.stdout).toMatch(/^-\s+a: "1"$/m);
      expect(other.stdout).toMatch(/^\+\s+a: "2"$/m);
      expect(at(await json('configmap differs'), 'data')).toEqual({ a: '1' });
    });

    it('stores nothing in a dry run', async () => {
      expect(await k.run('create configmap tried --dry-run=server -o name')).toBe('configmap/tried\n');
      expect((await k.attempt(['get', 'configmap', 'tried'])).stderr).toContain(
        'configmaps "tried" not found',
      );
    });
  });

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
      expect(await k.run(`create ${argv}`)).toBe(`${says}\n`);
    });

    it('runs a pod', async () => {
      expect(await k.run('run runner --image=busybox --restart=Never --labels=app=r -- sleep 1')).toBe(
        'pod/runner created\n',
      );
      expect(await k.run("get pod runner -o jsonpath='{.spec.containers[0].args}'")).toBe('["sleep","1"]');
    });
  });

  describe('reading', () => {
    it('prints tables, wide tables, and custom columns', async () => {
      await k.run('apply -f -', { stdin: pod('seen') });
      expect(await k.run('get pod seen')).toMatch(
        /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s*\nseen\s+0\/1\s+Pending\s+0\s+\d+s\s*$/m,
      );
      expect(await k.run('get pod seen -o wide')).toMatch(
        /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE\s+NOMINATED NODE\s+READINESS GATES/,
      );
      expect(await k.run('get cronjob')).toMatch(/^NAME\s+SCHEDULE\s+SUSPEND\s+ACTIVE\s+LAST SCHEDULE\s+AGE/);
      expect(
        await k.run('get pod seen -o custom-columns=N:.metadata.name,I:.spec.containers[0].image'),
      ).toMatch(/^N\s+I\nseen\s+busybox\n$/);
      expect(await k.run('get pod seen -o yaml')).toContain('kind: Pod\n');
      expect(await k.run("get pod seen -o jsonpath='{.metadata.name}'")).toBe('seen');
      expect(await k.run('get pods,configmaps -A --show-labels')).toContain('kube-root-ca.crt');
      expect(await k.run('get pods --field-selector=metadata.name=seen -o name')).toBe('pod/seen\n');
      expect(await k.run('get all')).toContain('pod/seen');
      expect(await k.run('get pod --sort-by=.metadata.name -o name')).toContain('pod/seen');
    });

    it('reads in pages', async () => {
      expect(await k.run('get clusterroles --chunk-size=5 -o name')).toContain(
        'clusterrole.rbac.authorization.k8s.io/view\n',
      );
    });

    it('describes objects', async () => {
      expect(await k.run('describe pod seen')).toMatch(/^Name:\s+seen$/m);
      await k.run('create secret generic described --from-literal=key=value');
      const secret = await k.run('describe secret described');
      expect(secret).toMatch(/^key:\s+5 bytes$/m);
      expect(secret).not.toContain('value');
      expect(await k.run('describe namespace default')).toMatch(/^Status:\s+Active$/m);
      expect(await k.run('describe serviceaccount default')).toMatch(/^Name:\s+default$/m);
      expect(await k.run('describe clusterrole view')).toContain('configmaps');
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
      await k.run('create -f -', { stdin: JSON.stringify(event) });
      expect(await k.run('get events --field-selector=involvedObject.name=seen')).toMatch(
        /Normal\s+Tested\s+pod\/seen\s+was tested/,
      );
    });

    it('watches changes', async () => {
      await k.run('create configmap watched --from-literal=a=1');
      const watch = k.start('get configmap watched --watch -o name');
      await watch.output(/^configmap\/watched\n/);
      await k.run(`patch configmap watched --type=merge -p '{"data":{"a":"2"}}'`);
      await watch.output(/^configmap\/watched\nconfigmap\/watched\n/);
      const table = k.start('get configmaps --watch-only');
      await watch.end('SIGTERM');
      await k.run('create configmap watched-table');
      // The second watch may have started after the first creation, so creates until it has seen one.
      await expect
        .poll(
          async () => {
            await k.run('annotate configmap watched-table --overwrite at=' + performance.now());
            return table.stdout;
          },
          { timeout: 60_000 },
        )
        .toMatch(/^watched-table\s+0\s+/m);
      await table.end('SIGTERM');
    });

    it('waits for a condition, and for deletion', async () => {
      await k.run('create -f -', { stdin: pod('waited') });
      const waiting = k.start('wait pod/waited --for=condition=Ready --timeout=20s');
      const { status } = await k.api.call('PATCH', '/api/v1/namespaces/default/pods/waited/status', {
        body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      });
      expect(status).toBe(200);
      expect(await waiting.exit(20_000)).toMatchObject({ code: 0 });
      await k.run(`patch pod waited --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`);
      await k.run('delete pod waited --grace-period=0 --force --wait=false');
      const ending = k.start('wait pod/waited --for=delete --timeout=20s -v=6');
      await ending.output(/GET \S+waited/);
      await k.run(`patch pod waited --type=merge -p '{"metadata":{"finalizers":null}}'`);
      expect(await ending.exit(20_000)).toMatchObject({ code: 0 });
    });
  });

  describe('deleting', () => {
    it('waits until the object is deleted', async () => {
      await k.run('create -f -', { stdin: configMap('held', {}, { finalizers: ['example.com/hold'] }) });
      const deleting = k.start('delete configmap held --wait');
      await deleting.output(/"held" deleted/);
      await expect
        .poll(async () => at(await json('configmap held'), 'metadata', 'deletionTimestamp'))
        .toBeTypeOf('string');
      expect(deleting.running).toBe(true);
      await k.run(`patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`);
      expect(await deleting.exit(20_000)).toMatchObject({ code: 0 });
    });

    it('deletes dependents with their owner, or orphans them on request', async () => {
      const family = async (owner: string): Promise<void> => {
        await k.run('create -f -', { stdin: configMap(owner, {}) });
        const uid = at(await json(`configmap ${owner}`), 'metadata', 'uid');
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }];
        await k.run('create -f -', { stdin: configMap(`${owner}-child`, {}, { ownerReferences }) });
      };
      await family('mother');
      await k.run('delete configmap mother --cascade=orphan');
      expect(at(await json('configmap mother-child'), 'metadata', 'ownerReferences')).toBeUndefined();
      await family('father');
      await k.run('delete configmap father --cascade=foreground');
      expect((await k.attempt(['get', 'configmap', 'father-child'])).code).toBe(1);
      await family('aunt');
      await k.run('delete configmap aunt');
      await expect
        .poll(() => k.attempt(['get', 'configmap', 'aunt-child']), { timeout: 60_000 })
        .toMatchObject({ code: 1 });
    });

    it('deletes by label, and a whole namespace', async () => {
      await k.run('create namespace gone');
      await k.run('create configmap one -n gone');
      await k.run('label configmap one -n gone a=b');
      expect(await k.run('delete configmap -n gone -l a=b')).toContain('"one" deleted');
      await k.run('create configmap two -n gone');
      await k.run('delete namespace gone');
      expect((await k.attempt(['get', 'namespace', 'gone'])).stderr).toContain('namespaces "gone" not found');
    });
  });

  describe('certificates', () => {
    it('are approved, signed, listed and described', async () => {
      await k.run('create -f -', { stdin: JSON.stringify(request('wanted')) });
      expect(await k.run('get csr wanted')).toMatch(
        /^wanted\s+\d+s\s+kubernetes\.io\/kube-apiserver-client\s+kubernetes-admin\s+(?:<none>\s+)?Pending/m,
      );
      expect(await k.run('certificate approve wanted')).toContain('wanted approved');
      await expect.poll(() => k.run('get csr wanted'), { timeout: 60_000 }).toContain('Approved,Issued');
      expect(await k.run('describe csr wanted')).toMatch(/Common Name:\s+wanted/);
    });

    it('are denied', async () => {
      await k.run('create -f -', { stdin: JSON.stringify(request('unwanted')) });
      expect(await k.run('certificate deny unwanted')).toContain('unwanted denied');
      expect(await k.run('get csr unwanted')).toContain('Denied');
    });
  });

  describe('permissions', () => {
    it('are reviewed for the user and for others', async () => {
      expect(await k.run('auth can-i create pods')).toBe('yes\n');
      const other = await k.attempt(['auth', 'can-i', 'create', 'pods', '--as=jane']);
      expect([other.code, other.stdout]).toEqual([1, 'no\n']);
      expect(await k.run('auth can-i --list')).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
      await k.run('create role reader --verb=get --resource=pods');
      await k.run('create rolebinding reader --role=reader --user=jane');
      await expect
        .poll(() => k.attempt(['auth', 'can-i', 'get', 'pods', '--as=jane']))
        .toMatchObject({ stdout: 'yes\n' });
      expect(await k.run('auth can-i --list --as=jane')).toMatch(/^pods\s+\[\]\s+\[\]\s+\[get\]/m);
    });

    it('are refused with a message', async () => {
      const { code, stderr } = await k.attempt(['get', 'secrets', '--as=jane']);
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
      expect(await k.run('auth reconcile -f -', { stdin: JSON.stringify(manifest) })).toContain('reconciled');
    });
  });

  describe('nodes', () => {
    it('are described, cordoned, tainted and drained', async () => {
      const node = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'node-1' },
        status: { capacity: { cpu: '2' } },
      };
      await k.run('create -f -', { stdin: JSON.stringify(node) });
      await k.run('create -f -', { stdin: pod('on-node', { nodeName: 'node-1' }) });
      expect(await k.run('get nodes')).toMatch(/^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION/);
      expect(await k.run('describe node node-1')).toMatch(/default\s+on-node/);
      expect(await k.run('cordon node-1')).toBe('node/node-1 cordoned\n');
      expect(await k.run('get node node-1')).toContain('SchedulingDisabled');
      expect(await k.run('uncordon node-1')).toBe('node/node-1 uncordoned\n');
      expect(await k.run('taint node node-1 a=b:NoSchedule')).toBe('node/node-1 tainted\n');
      const drained = await k.run('drain node-1 --force --disable-eviction --grace-period=0');
      expect(drained).toContain('node/node-1');
      expect((await k.attempt(['get', 'pod', 'on-node'])).code).toBe(1);
    });
  });

  describe('invalid manifests', () => {
    it.each([
      // Newer clients first look for a custom resource of that kind, which is not served.
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
    ])('are refused with a message: %s', async (_what, manifest, says) => {
      const { code, stderr } = await k.attempt(['create', '-f', '-'], { stdin: JSON.stringify(manifest) });
      expect(code).toBe(1);
      expect(stderr).toMatch(says);
    });

    it('are refused for an object that already exists', async () => {
      await k.run('create configmap twice');
      const { code, stderr } = await k.attempt(['create', 'configmap', 'twice']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /\(AlreadyExists\): (?:error when creating.*)?configmaps "twice" already exists|configmaps "twice" already exists/,
      );
    });
  });
});
