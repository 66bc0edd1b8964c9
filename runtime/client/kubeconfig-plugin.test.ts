import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { PluginRun } from './exec-credential.ts';
import type { KubeconfigOptions } from './kubeconfig-options.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { PEM, SECRET, config, data, setUp } from './kubeconfig.fixture.ts';

describe('a credential plugin', () => {
  const exec = {
    command: './bin/login',
    args: ['--a'],
    env: [{ name: 'X', value: 'y' }],
    apiVersion: 'client.authentication.orch.io/v1',
    interactiveMode: 'IfAvailable',
    installHint: 'get it from the shelf',
    provideClusterInfo: true,
  };
  const cluster = {
    'certificate-authority-data': data,
    extensions: [{ name: 'client.authentication.orch.io/exec', extension: { audience: 'z' } }],
  };
  const printed = (status: object, apiVersion: string = exec.apiVersion): string =>
    JSON.stringify({ kind: 'ExecCredential', apiVersion, status });

  function plugin(
    outputs: readonly (string | Error)[],
    more: Partial<KubeconfigOptions> = {},
    block: object = exec,
  ) {
    const base = setUp();
    const runs: PluginRun[] = [];
    const runPlugin = (run: PluginRun) => {
      runs.push(run);
      const output = outputs[Math.min(runs.length, outputs.length) - 1] ?? '';
      return output instanceof Error
        ? Promise.reject(output)
        : Promise.resolve({ exitCode: 0, stdout: output });
    };
    const load = async () =>
      (await loadKubeconfig(config({ exec: block }, cluster), { ...base.options, runPlugin, ...more }))
        .credentials;
    return { ...base, runs, load };
  }

  it('receives the cluster and whether it may be interactive', async () => {
    const { runs, load } = plugin([printed({ token: 't' })], {
      environment: { PATH: '/bin', ORCH_EXEC_INFO: 'stale' },
    });
    expect(await (await load()).get()).toEqual({ authorization: 'Bearer t' });
    expect(runs[0]).toMatchObject({ command: '/etc/orch/bin/login', args: ['--a'], interactive: false });
    expect(runs[0]?.env).toMatchObject({ PATH: '/bin', X: 'y' });
    expect(JSON.parse(runs[0]?.env['ORCH_EXEC_INFO'] ?? '')).toEqual({
      kind: 'ExecCredential',
      apiVersion: exec.apiVersion,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://127.0.0.1:6443',
          'certificate-authority-data': data,
          config: { audience: 'z' },
        },
      },
    });
  });

  it('runs once for concurrent requests, and again after its credential expired or was rejected', async () => {
    const { clock, runs, load } = plugin([
      printed({ token: 'one', expirationTimestamp: '2026-01-01T00:10:00Z' }),
      printed({ token: 'two' }),
      printed({ clientCertificateData: PEM, clientKeyData: PEM }),
    ]);
    const credentials = await load();
    await Promise.all([credentials.get(), credentials.get()]);
    expect(runs.length).toBe(1);
    await clock.advance(600_000);
    const second = await credentials.get();
    expect(second).toEqual({ authorization: 'Bearer two' });
    expect(await credentials.rejected(second)).toBe(true);
    expect(await credentials.get()).toEqual({ certificate: PEM, key: PEM });
    expect(runs.length).toBe(3);
  });

  it.each([
    ['no json', /did not print valid JSON/],
    ['{}', /did not print an object of kind ExecCredential/],
    [
      printed({ token: SECRET }, 'client.authentication.orch.io/v1beta1'),
      /, expected client\.authentication/,
    ],
    [printed({}), /must print status\.token, or both/],
    [printed({ token: SECRET, clientKeyData: PEM }), /must print status\.token, or both/],
    [printed({ token: SECRET, expirationTimestamp: 'soon' }), /not an RFC 3339 time/],
    [Object.assign(new Error('spawn'), { code: 'ENOENT' }), /was not found: get it from the shelf/],
  ])('rejects invalid output %# without a quote of it', async (output, message) => {
    const { load } = plugin([output]);
    const thrown: unknown = await (await load()).get().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ERR_CREDENTIAL', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toContain(SECRET);
  });

  it('is never run without a terminal if it must be interactive', async () => {
    const { runs, load } = plugin([printed({ token: 't' })], {}, { ...exec, interactiveMode: 'Always' });
    await expect((await load()).get()).rejects.toThrow(/standard input is not a terminal/);
    expect(runs).toEqual([]);
  });

  it.each([
    ['client.authentication.orch.io/v1', 'ORCH_EXEC_INFO'],
    ['client.authentication.k8s.io/v1beta1', 'KUBERNETES_EXEC_INFO'],
  ])(
    'with the API version %s and no given vocabulary receives its input in the variable %s',
    async (apiVersion, variable) => {
      const { options } = setUp();
      const { vocabulary: _, ...without } = options;
      const runs: PluginRun[] = [];
      const runPlugin = (run: PluginRun) => {
        runs.push(run);
        return Promise.resolve({ exitCode: 0, stdout: printed({ token: 't' }, apiVersion) });
      };
      const { credentials } = await loadKubeconfig(config({ exec: { ...exec, apiVersion } }), {
        ...without,
        runPlugin,
      });
      expect(await credentials.get()).toEqual({ authorization: 'Bearer t' });
      expect(JSON.parse(runs[0]?.env[variable] ?? '')).toMatchObject({ apiVersion });
    },
  );

  it('runs as a child process by default', async () => {
    const { options } = setUp();
    const script = `const i = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({ ...i, status: { token: 'from-' + process.env.X } }))`;
    const { credentials } = await loadKubeconfig(
      config({
        exec: {
          ...exec,
          command: process.execPath,
          args: ['-e', script],
          apiVersion: 'client.authentication.k8s.io/v1beta1',
        },
      }),
      { ...options, vocabulary: kubernetesVocabulary },
    );
    expect(await credentials.get()).toEqual({ authorization: 'Bearer from-y' });
  });
});
