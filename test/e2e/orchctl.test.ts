import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestPem } from '../world/request-pem.ts';
import { type StartOptions, ROOT, createWorkbench } from './process.ts';

/** Tests the command-line client against a server started without further flags. */
const bench = createWorkbench();
const PROGRAM = join(ROOT, 'dist', 'cli', 'orchctl.js');
const READY = /^ready https/m;
let folder: string;

const GEARS = `
apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: { name: gears.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: gears, singular: gear, kind: Gear }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function orchctl(argv: readonly string[], options: StartOptions = {}): Promise<Said> {
  const env = { ORCHCONFIG: join(folder, 'admin.conf') };
  const program = bench.spawn(process.execPath, [PROGRAM, ...argv], { env, ...options });
  const { code } = await program.exit();
  return { code, stdout: program.stdout, stderr: program.stderr };
}
const said = async (argv: readonly string[], options?: StartOptions): Promise<string> => {
  const { code, stdout, stderr } = await orchctl(argv, options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

beforeAll(async () => {
  folder = join(bench.folder(), 'data');
  await bench.orch(['up', '--data-dir', folder, '--secure-port', '0']).output(READY);
});
afterAll(() => bench.close());

it('prints its own version and that of the server', async () => {
  expect(await said(['version'])).toMatch(/^orchctl \d+\.\d+\.\d+ \(.+\)\nserver v1\.24\.\d+\n$/);
});

it('prints its own version without a server', async () => {
  const env = { ORCHCONFIG: join(folder, 'none.conf') };
  expect(await said(['version', '--client'], { env })).toMatch(/^orchctl \d+\.\d+\.\d+ \(.+\)\n$/);
});

it('finds a kind that was defined after the resources of the server were written to a file', async () => {
  const cache = bench.folder();
  await said(['get', 'ns', '--cache-dir', cache]);
  const { code, stderr } = await orchctl(['get', 'gears', '--cache-dir', cache]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no resource "gears"') });
  const file = join(cache, 'gears.yaml');
  writeFileSync(file, GEARS);
  await said(['create', '-f', file, '--cache-dir', cache]);
  await expect.poll(async () => (await orchctl(['get', 'gears', '--cache-dir', cache])).code).toBe(0);
});

describe('objects', () => {
  const manifest = `
apiVersion: v1
kind: Namespace
metadata: { name: demo }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: a, namespace: demo }
data: { x: "1" }
`;

  it('are applied from a file, shown, changed and deleted', async () => {
    const file = join(folder, 'demo.yaml');
    writeFileSync(file, manifest);
    expect(await said(['apply', '-f', file])).toBe('namespace/demo applied\nconfigmap/a applied\n');
    expect(await said(['get', 'cm', 'a', '-n', 'demo'])).toMatch(/^NAME +DATA +AGE\na +1 +\d+s\n$/);
    expect(await said(['get', 'cm/a', '-n', 'demo', '-o', 'name'])).toBe('configmap/a\n');
    expect(JSON.parse(await said(['get', 'cm/a', '-ndemo', '-ojson']))).toMatchObject({ data: { x: '1' } });
    expect(await said(['get', 'cm/a', '-n', 'demo', '-o', 'yaml'])).toContain('  name: a\n');
    const patch = ['patch', 'cm', 'a', '-n', 'demo', '--field-manager', 'other', '-p', '{"data":{"x":"2"}}'];
    expect(await said(patch)).toBe('configmap/a patched\n');
    expect(await orchctl(['apply', '-f', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error from server \(Conflict\): Apply failed with 1 conflict: .*\.data\.x\n$/,
      ),
    });
    expect(await said(['apply', '-f', file, '--force-conflicts'])).toContain('configmap/a applied\n');
    expect(await said(['delete', 'cm/a', '-n', 'demo', '--dry-run'])).toBe(
      'configmap "a" deleted (server dry run)\n',
    );
    expect(await said(['delete', 'cm/a', '-n', 'demo'])).toBe('configmap "a" deleted\n');
    // Flags may precede the command.
    expect(await orchctl(['-n', 'demo', 'get', 'cm/a'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error from server (NotFound): configmaps "a" not found\n',
    });
  });

  it('are waited for, in a folder of files, and until a finalizer is removed', async () => {
    const files = bench.folder();
    writeFileSync(
      join(files, 'held.json'),
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/hold"]}}',
    );
    expect(await said(['create', '-f', files])).toBe('configmap/held created\n');
    expect(await said(['wait', 'cm/held', '--for', 'jsonpath={.metadata.name}=held'])).toBe(
      'configmap/held condition met\n',
    );
    expect(await orchctl(['delete', 'cm', 'held', '--timeout', '100ms'])).toEqual({
      code: 1,
      stdout: 'configmap "held" deleted\n',
      stderr: 'timed out waiting for configmap/held, which has been marked for deletion\n',
    });
    const waiting = said(['wait', 'cm/held', '--for=delete']);
    expect(await said(['patch', 'cm', 'held', '--type=merge', '-p', 'metadata: {finalizers: null}'])).toBe(
      'configmap/held patched\n',
    );
    await waiting;
    expect((await orchctl(['get', 'cm/held'])).code).toBe(1);
  });

  it('keep 64-bit integers exact when written, changed and shown', async () => {
    const job = (name: string, grace: string): string =>
      `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec: {suspend: true, template: {spec: ` +
      `{restartPolicy: Never, terminationGracePeriodSeconds: ${grace}, containers: [{name: c, image: i}]}}}\n`;
    const shown = (name: string, output: string): Promise<string> =>
      said(['get', `job/${name}`, '-o', output]);
    for (const [verb, value] of [
      ['create', '9007199254740993'],
      ['apply', '9223372036854775807'],
    ] as const) {
      await said([verb, '-f', '-'], { stdin: job(verb, value) });
      expect(await shown(verb, 'json')).toMatch(new RegExp(`"terminationGracePeriodSeconds": ${value}\\b`));
      expect(await shown(verb, 'yaml')).toContain(`terminationGracePeriodSeconds: ${value}\n`);
    }
    const patch = '{"spec":{"activeDeadlineSeconds":9007199254740995}}';
    await said(['patch', 'job', 'apply', '-p', patch]);
    expect(await said(['get', '--raw', '/apis/batch/v1/namespaces/default/jobs/apply'])).toContain(
      '"activeDeadlineSeconds":9007199254740995',
    );
  });

  it('are read from standard input, with names the server generates', async () => {
    const stdin = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"made-"}}';
    expect(await said(['create', '-f', '-'], { stdin })).toMatch(/^configmap\/made-\w{5} created\n$/);
  });

  it('are listed across namespaces, by label, and of several kinds', async () => {
    expect(await said(['get', 'sa', '-A'])).toMatch(/^NAMESPACE +NAME +SECRETS +AGE\ndefault +default /);
    const selected = ['get', 'ns', '-l', 'orch.io/metadata.name=orch-system', '-o', 'name'];
    expect(await said(selected)).toBe('namespace/orch-system\n');
    expect(await said(['get', 'ns,sa', '-o', 'name'])).toMatch(
      /^namespace\/default\n[^]*serviceaccount\/default\n$/,
    );
  });

  it('are reported on standard error if they do not exist, and so are warnings', async () => {
    expect(await orchctl(['get', 'cronjobs.v1beta1.batch'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Warning: batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob\n' +
        'No resources found in default namespace.\n',
    });
  });

  it('are shown as they change', async () => {
    const env = { ORCHCONFIG: join(folder, 'admin.conf') };
    const watching = bench.spawn(process.execPath, [PROGRAM, 'get', 'ns', '--watch'], { env });
    await watching.output(/^orch-system/m);
    const stdin = '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"later"}}';
    await said(['create', '-f', '-'], { stdin });
    await watching.output(/^later +Active/m);
    await watching.end('SIGTERM');
  });
});

describe('the user', () => {
  it('is the user of the kubeconfig, or the impersonated user', async () => {
    expect(await said(['auth', 'whoami'])).toMatch(
      /^username +orch-admin\ngroups +system:masters, system:auth/,
    );
    const as = ['--as', 'alice', '--as-group', 'devs', '--as-group', 'ops'];
    expect(await said(['auth', 'whoami', ...as])).toBe(
      'username  alice\ngroups    devs, ops, system:authenticated\n',
    );
    expect((await orchctl(['auth', 'whoami', '--as-group', 'devs'])).stderr).toBe(
      '--as-group and --as-uid need --as\n',
    );
  });

  it('can review permissions and use the exit code as the result', async () => {
    expect(await said(['auth', 'can-i', 'create', 'pods/x'])).toBe('yes\n');
    expect(await orchctl(['auth', 'can-i', 'get', 'pods', '--as', 'alice'])).toEqual({
      code: 1,
      stdout: 'no\n',
      stderr: '',
    });
    expect(await said(['auth', 'can-i', 'get', '/version', '--as', 'alice'])).toBe('yes\n');
  });

  it('is rejected with an unknown token, whatever the kubeconfig contains', async () => {
    expect(await orchctl(['get', 'ns', '--token', 'nobodys'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error from server (Unauthorized): Unauthorized\n',
    });
  });
});

describe('certificate requests', () => {
  it('are approved and then signed, or denied', async () => {
    const request = Buffer.from(requestPem('/CN=joe')).toString('base64');
    const named = (name: string): string =>
      JSON.stringify({
        apiVersion: 'certificates.orch.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: { request, signerName: 'orch.io/orch-apiserver-client', usages: ['client auth'] },
      });
    for (const name of ['good', 'bad']) await said(['create', '-f', '-'], { stdin: named(name) });
    expect(await said(['certificate', 'approve', 'good'])).toBe(
      'certificatesigningrequest.certificates.orch.io/good approved\n',
    );
    await said(['certificate', 'deny', 'bad', '--message', 'not you']);
    await expect.poll(() => said(['get', 'csr', 'good'])).toContain('Approved,Issued');
    expect(await said(['get', 'csr', 'bad'])).toContain('Denied');
    expect((await orchctl(['certificate', 'approve', 'bad'])).stderr).toContain('mutually exclusive');
  });

  it('have their state in a column if asked, alone, in a list and in a watch', async () => {
    expect(await said(['get', 'csr', 'good', '--show-state'])).toMatch(/^NAME .* STATE\n.* Issued\n$/);
    expect(await said(['get', 'csr', '-o', 'wide', '--show-state'])).toMatch(
      /^NAME .* STATE\nbad .* Denied\ngood .* Issued\n$/,
    );
    expect(await said(['get', 'csr', 'bad'])).not.toContain('STATE');
    expect(await said(['get', 'cm', '-A', '--show-state'])).not.toContain('STATE');
  });
});

describe('the server', () => {
  it('responds to any path, and lists its resources', async () => {
    expect(await said(['get', '--raw', '/healthz'])).toBe('ok');
    expect(await said(['api-resources', '--api-group', 'batch'])).toMatch(
      /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\ncronjobs +cj +batch\/v1 +true +CronJob\njobs +batch\/v1 +true +Job\n$/,
    );
  });

  it('can use the other vocabulary', async () => {
    const data = join(bench.folder(), 'data');
    await bench
      .orch(['up', '--vocabulary', 'kubernetes', '--data-dir', data, '--secure-port', '0'])
      .output(READY);
    const env = { KUBECONFIG: join(data, 'admin.conf'), ORCHCONFIG: '' };
    expect(await said(['get', 'ns', 'kube-system', '-o', 'name'], { env })).toBe('namespace/kube-system\n');
    const list = { ...env, KUBECONFIG: ['/nowhere.conf', env.KUBECONFIG].join(delimiter) };
    expect(await said(['get', 'ns', 'kube-system', '-o', 'name'], { env: list })).toBe(
      'namespace/kube-system\n',
    );
    const { code, stderr } = await orchctl(['get', 'ns'], { env: { ...env, KUBECONFIG: '/a:/b' } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'none of the files that $KUBECONFIG names exists: /a:/b\n',
    });
  });

  it('is by default the one started in this directory', async () => {
    const env = { KUBECONFIG: '', ORCHCONFIG: '' };
    const { stderr } = await orchctl(['get', 'ns'], { env, cwd: bench.folder() });
    expect(stderr).toBe('--kubeconfig must name a client configuration: there is no .orch/admin.conf here\n');
  });

  it.each([
    [['gte'], /unknown command "gte"; did you mean get\?/],
    [['get', 'foo'], /no resource "foo"; api-resources lists/],
    [['get'], /no resource/],
    [['get', 'ns', '--nope'], /unknown flag --nope/],
    [['delete', 'ns'], /no object of namespaces/],
    [['patch', 'ns', 'demo', '-p', '{'], /the patch is neither JSON nor YAML/],
    [['apply'], /no --filename/],
    [['apply', '-f', '/nowhere.yaml'], /failed to read \/nowhere.yaml/],
  ])('is not contacted for the invalid command line %j', async (argv, why) => {
    const { code, stdout, stderr } = await orchctl(argv);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(why) });
  });
});
