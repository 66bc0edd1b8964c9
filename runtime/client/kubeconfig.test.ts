import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../../base/http/outbound.ts';
import { ClientError } from './client-error.ts';
import type { PluginRun } from './exec-credential.ts';
import { loadInClusterConfig } from './in-cluster.ts';
import { type KubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const data = Buffer.from(PEM).toString('base64');
const SECRET = 'c2VjcmV0LXZhbHVl';

const config = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'team' } },
      { name: 'bare', context: { cluster: 'c' } },
      { name: 'lost', context: { cluster: 'c', user: 'nobody' } },
    ],
  });

function setUp(files: Readonly<Record<string, string>> = {}) {
  const clock = createSimulatedClock();
  const held = new Map(Object.entries(files));
  const options: KubeconfigOptions = {
    path: '/etc/orch/admin.conf',
    vocabulary: orchVocabulary,
    clock,
    readFile: (path) => {
      const text = held.get(path);
      return text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);
    },
  };
  return { clock, held, options };
}

describe('kubeconfig', () => {
  it('reads inline data, names and flags of the current context', async () => {
    const { options } = setUp();
    const loaded = await loadKubeconfig(
      config(
        { 'client-certificate-data': data, 'client-key-data': data },
        {
          'certificate-authority-data': data,
          'tls-server-name': 'orch',
          'proxy-url': 'http://proxy:3128',
        },
      ),
      options,
    );
    expect(loaded).toMatchObject({
      server: 'https://127.0.0.1:6443',
      tls: { ca: PEM, serverName: 'orch' },
      proxyUrl: 'http://proxy:3128',
      namespace: 'team',
    });
    expect(await loaded.credentials.get()).toEqual({ certificate: PEM, key: PEM });
  });

  it.each([
    [{ server: 'https://api.example.com' }, 'http://any:3128'],
    [{ server: 'https://api.example.com', 'proxy-url': 'http://own:3128' }, 'http://own:3128'],
    [{ server: 'https://127.0.0.1:6443' }, undefined],
  ])('resolves %j with a proxy in the environment to the proxy %s', async (cluster, proxyUrl) => {
    const { options } = setUp();
    const environment = { HTTPS_PROXY: 'http://any:3128' };
    expect((await loadKubeconfig(config({}, cluster), { ...options, environment })).proxyUrl).toBe(proxyUrl);
  });

  it('reads the impersonated user', async () => {
    const { options } = setUp();
    const user = { as: 'eve', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { scope: ['x'] } };
    expect((await loadKubeconfig(config(user), options)).impersonate).toEqual({
      user: 'eve',
      uid: '7',
      groups: ['a', 'b'],
      extra: { scope: ['x'] },
    });
    await expect(loadKubeconfig(config({ 'as-groups': ['a'] }), options)).rejects.toThrow(
      'as-uid, as-groups and as-user-extra require as',
    );
  });

  it('resolves paths relative to the file', async () => {
    const { options } = setUp({ '/etc/orch/pki/ca.crt': PEM });
    const loaded = await loadKubeconfig(config({}, { 'certificate-authority': 'pki/ca.crt' }), options);
    expect(loaded.tls.ca).toBe(PEM);
  });

  it('reads a token, a password or no credentials', async () => {
    const { options } = setUp();
    const shown = async (user: object, context?: string) =>
      (
        await loadKubeconfig(config(user), { ...options, ...(context === undefined ? {} : { context }) })
      ).credentials.get();
    expect(await shown({ token: 'abc' })).toEqual({ authorization: 'Bearer abc' });
    expect(await shown({ username: 'a', password: 'b' })).toEqual({ authorization: 'Basic YTpi' });
    expect(await shown({ token: 'abc' }, 'bare')).toEqual({});
  });

  it('rereads a token file after a minute and after a refused token', async () => {
    const { clock, held, options } = setUp({ '/etc/orch/token': 'one\n' });
    const { credentials } = await loadKubeconfig(config({ tokenFile: 'token' }), options);
    const first = await credentials.get();
    expect(first).toEqual({ authorization: 'Bearer one' });
    expect(await credentials.refused(first)).toBe(false);
    held.set('/etc/orch/token', 'two');
    expect(await credentials.get()).toEqual(first);
    expect(await credentials.refused(first)).toBe(true);
    expect(await credentials.get()).toEqual({ authorization: 'Bearer two' });
    held.delete('/etc/orch/token');
    await clock.advance(60_000);
    expect(await credentials.get()).toEqual({ authorization: 'Bearer two' });
  });

  it.each([
    ['[', {}, /admin\.conf: is not valid YAML or JSON/],
    ['7', {}, /must be an object with clusters, users and contexts/],
    ['{}', {}, /current-context is not set/],
    [config({}), { context: 'x' }, /context "x" is not in contexts; expected one of "here", "bare", "lost"/],
    [config({}), { context: 'lost' }, /user "nobody" is not in users; expected one of "u"/],
    [config({}, { server: '' }), {}, /clusters\[name="c"\]\.cluster: server must be set/],
    [config({}, { server: 7 }), {}, /server must be a string/],
    [config({ 'client-key-data': SECRET }), {}, /users\[name="u"\]\.user: client-key-data must be PEM/],
    [config({ 'client-key-data': data }), {}, /must be set together/],
    [config({ token: SECRET, username: 'a' }), {}, /only one of token or tokenFile/],
    [config({ 'auth-provider': { name: 'gcp', config: {} } }), {}, /with the name oidc and a config/],
    [config({ 'auth-provider': { name: 'oidc', config: {} } }), {}, /idp-issuer-url must be set/],
    [
      config({ 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'http://login.test' } } }),
      {},
      /auth-provider: idp-issuer-url must be a URL with https/,
    ],
    [
      config({ 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://login.test' } } }),
      {},
      /client-id must be set/,
    ],
    [config({}, { 'certificate-authority': 'no.crt' }), {}, /failed to read \/etc\/orch\/no\.crt/],
    [config({}, { 'insecure-skip-tls-verify': 'yes' }), {}, /must be true or false/],
    [config({ exec: { command: 'x' } }), {}, /exec: apiVersion must be set/],
    [
      config({ exec: { command: 'x', apiVersion: 'v1' } }),
      {},
      /expected one of client\.authentication\.orch\.io\/v1, client\.authentication\.orch\.io\/v1beta1/,
    ],
    [
      config({ exec: { command: 'x', apiVersion: 'client.authentication.orch.io/v1' } }),
      {},
      /interactiveMode must be one of Never, IfAvailable, Always/,
    ],
  ])('names the file, the entry and the accepted form in an error: %#', async (text, more, message) => {
    const { options } = setUp();
    const thrown: unknown = await loadKubeconfig(text, { ...options, ...more }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(ClientError);
    expect(thrown).toMatchObject({ code: 'ERR_CONFIG', message: expect.stringMatching(message) });
    expect(String(thrown)).toMatch(/\/etc\/orch\/admin\.conf/);
    expect(String(thrown)).not.toContain(SECRET);
  });

  it('loads any text or rejects it with ERR_CONFIG', async () => {
    const { options } = setUp();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc
            .record({
              user: fc.dictionary(
                fc.constantFrom('exec', 'token', 'client-key', '__proto__'),
                fc.jsonValue(),
              ),
              cluster: fc.dictionary(fc.constantFrom('server', 'extensions', 'proxy-url'), fc.jsonValue()),
            })
            .map(({ user, cluster }) => config(user, cluster)),
        ),
        async (text) => {
          const thrown: unknown = await loadKubeconfig(text, options).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (thrown !== undefined) expect(thrown).toMatchObject({ code: 'ERR_CONFIG' });
        },
      ),
    );
  });
});

describe('credential plugin', () => {
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

  it('runs once for concurrent requests, and again after expiry or refusal', async () => {
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
    expect(await credentials.refused(second)).toBe(true);
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
  ])('rejects an invalid output without quoting it: %#', async (output, message) => {
    const { load } = plugin([output]);
    const thrown: unknown = await (await load()).get().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ERR_CREDENTIAL', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toContain(SECRET);
  });

  it('never runs an interactive plugin without a terminal', async () => {
    const { runs, load } = plugin([printed({ token: 't' })], {}, { ...exec, interactiveMode: 'Always' });
    await expect((await load()).get()).rejects.toThrow(/standard input is not a terminal/);
    expect(runs).toEqual([]);
  });

  it.each([
    ['client.authentication.orch.io/v1', 'ORCH_EXEC_INFO'],
    ['client.authentication.k8s.io/v1beta1', 'KUBERNETES_EXEC_INFO'],
  ])('uses the variable of the API version %s without a given vocabulary', async (apiVersion, variable) => {
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
  });

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

describe('an OpenID Connect login', () => {
  const login = {
    'idp-issuer-url': 'https://login.test/team/',
    'client-id': 'cli:1',
    'client-secret': 'a secret',
    'refresh-token': 'refresh-1',
    'idp-certificate-authority-data': data,
  };
  /** Creates a token that expires this many seconds after the start of the clock. */
  const token = (seconds: number, name = 'a'): string =>
    ['{}', JSON.stringify({ name, exp: Date.parse('2026-01-01T00:00:00Z') / 1000 + seconds }), name]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  const shown = (text: string) => ({ authorization: `Bearer ${text}` });

  /** An issuer that returns these responses to token requests, in order. */
  function issuer(answers: readonly (readonly [status: number, body: unknown])[], settings: object = login) {
    const base = setUp();
    const asked: OutboundRequest[] = [];
    const peers = new Set<string>();
    let open = 0;
    const answer = (status: number, body: unknown): OutboundResponse => ({
      status,
      headers: {},
      body: Readable.from([Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))]),
    });
    const connect = (): Outbound => {
      open += 1;
      return {
        send({ origin, ca }, request) {
          peers.add(`${origin} ${String(ca === PEM)}`);
          if (request.path === '/team/.well-known/openid-configuration')
            return Promise.resolve(answer(200, { token_endpoint: 'https://tokens.test/v1?x=1' }));
          asked.push(request);
          return Promise.resolve(answer(...(answers[asked.length - 1] ?? [500, ''])));
        },
        close: () => Promise.resolve(void (open -= 1)),
      };
    };
    const load = async () =>
      (
        await loadKubeconfig(config({ 'auth-provider': { name: 'oidc', config: settings } }), {
          ...base.options,
          connect,
        })
      ).credentials;
    return { ...base, asked, peers, load, opened: () => open };
  }

  it('uses the id token while it is valid', async () => {
    const { asked, load } = issuer([], { ...login, 'id-token': token(60) });
    expect(await (await load()).get()).toEqual(shown(token(60)));
    expect(asked).toEqual([]);
  });

  it('renews an expired token once for concurrent requests', async () => {
    const { asked, clock, load, opened, peers } = issuer(
      [
        [200, { id_token: token(3600, 'b'), refresh_token: 'refresh-2' }],
        [200, { id_token: token(7200, 'c') }],
      ],
      { ...login, 'id-token': token(60) },
    );
    const credentials = await load();
    await clock.advance(50_000);
    const both = await Promise.all([credentials.get(), credentials.get()]);
    expect(both).toEqual([shown(token(3600, 'b')), shown(token(3600, 'b'))]);
    expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1?x=1', 'grant_type=refresh_token&refresh_token=refresh-1'],
    ]);
    expect(asked[0]?.headers['authorization']).toBe(
      `Basic ${Buffer.from('cli%3A1:a%20secret').toString('base64')}`,
    );
    expect([...peers]).toEqual(['https://login.test true', 'https://tokens.test true']);
    expect(await credentials.refused(both[0])).toBe(true);
    expect(await credentials.get()).toEqual(shown(token(7200, 'c')));
    expect(asked[1]?.body).toBe('grant_type=refresh_token&refresh_token=refresh-2');
    expect(opened()).toBe(0);
  });

  it('sends the client id in the form without a client secret', async () => {
    const { 'client-secret': _, ...open } = login;
    const { asked, load } = issuer([[200, { id_token: token(60) }]], open);
    await (await load()).get();
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
    expect(asked[0]?.body).toBe('grant_type=refresh_token&refresh_token=refresh-1&client_id=cli%3A1');
  });

  it.each([
    [[200, {}], /does not renew id tokens: its response has no id_token/],
    [[200, { id_token: SECRET }], /not a JSON Web Token/],
    [[200, SECRET], /tokens\.test\/v1 did not return a JSON object/],
    [[400, { error: 'invalid_grant', error_description: SECRET }], /answered 400 invalid_grant$/],
    [[500, { error: `${SECRET} !` }], /answered 500$/],
  ] as const)('rejects the response %j without quoting it', async (answer, message) => {
    const { load, opened } = issuer([answer]);
    const thrown: unknown = await (await load()).get().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ERR_CREDENTIAL', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toContain(SECRET);
    expect(opened()).toBe(0);
  });

  it('ends with its id token without a refresh token', async () => {
    const { 'refresh-token': _, ...short } = login;
    const { clock, load } = issuer([], { ...short, 'id-token': token(60) });
    const credentials = await load();
    expect(await credentials.refused({})).toBe(false);
    await clock.advance(60_000);
    await expect(credentials.get()).rejects.toThrow(/no valid id-token and no refresh-token/);
  });
});

describe('in-cluster configuration', () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('uses the environment and the mounted folder', async () => {
    const { clock, options } = setUp({
      [`${folder}/ca.crt`]: PEM,
      [`${folder}/token`]: 'abc',
      [`${folder}/namespace`]: 'team',
    });
    const loaded = await loadInClusterConfig({
      vocabulary: kubernetesVocabulary,
      environment: {
        KUBERNETES_SERVICE_HOST: 'fd00::1',
        KUBERNETES_SERVICE_PORT: '443',
        HTTPS_PROXY: 'http://proxy:3128',
      },
      readFile: options.readFile,
      clock,
    });
    expect(loaded).toMatchObject({
      server: 'https://[fd00::1]:443',
      tls: { ca: PEM },
      proxyUrl: 'http://proxy:3128',
      namespace: 'team',
    });
    expect(await loaded.credentials.get()).toEqual({ authorization: 'Bearer abc' });
  });

  it('names the missing variables outside a cluster', async () => {
    const { clock, options } = setUp();
    await expect(
      loadInClusterConfig({
        vocabulary: orchVocabulary,
        environment: {},
        readFile: options.readFile,
        clock,
      }),
    ).rejects.toThrow(/expected the variables ORCH_SERVICE_HOST and ORCH_SERVICE_PORT/);
  });
});
