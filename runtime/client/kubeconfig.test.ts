import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError } from './client-error.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { PEM, SECRET, config, data, setUp } from './kubeconfig.fixture.ts';

describe('loadKubeconfig', () => {
  it('reads inline data, server name, proxy and namespace of the current context', async () => {
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
  ])(
    'resolves the cluster %j, with a proxy in the environment, to the proxy %s',
    async (cluster, proxyUrl) => {
      const { options } = setUp();
      const environment = { HTTPS_PROXY: 'http://any:3128' };
      expect((await loadKubeconfig(config({}, cluster), { ...options, environment })).proxyUrl).toBe(
        proxyUrl,
      );
    },
  );

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

  it('resolves paths relative to the directory of the file', async () => {
    const { options } = setUp({ '/etc/orch/pki/ca.crt': PEM });
    const loaded = await loadKubeconfig(config({}, { 'certificate-authority': 'pki/ca.crt' }), options);
    expect(loaded.tls.ca).toBe(PEM);
  });

  it('reads a token, a username with password, or no credentials', async () => {
    const { options } = setUp();
    const shown = async (user: object, context?: string) =>
      (
        await loadKubeconfig(config(user), { ...options, ...(context === undefined ? {} : { context }) })
      ).credentials.get();
    expect(await shown({ token: 'abc' })).toEqual({ authorization: 'Bearer abc' });
    expect(await shown({ username: 'a', password: 'b' })).toEqual({ authorization: 'Basic YTpi' });
    expect(await shown({ token: 'abc' }, 'bare')).toEqual({});
  });

  it('reads a token file again after a minute and after the server rejected the token', async () => {
    const { clock, held, options } = setUp({ '/etc/orch/token': 'one\n' });
    const { credentials } = await loadKubeconfig(config({ tokenFile: 'token' }), options);
    const first = await credentials.get();
    expect(first).toEqual({ authorization: 'Bearer one' });
    expect(await credentials.rejected(first)).toBe(false);
    held.set('/etc/orch/token', 'two');
    expect(await credentials.get()).toEqual(first);
    expect(await credentials.rejected(first)).toBe(true);
    expect(await credentials.get()).toEqual({ authorization: 'Bearer two' });
    held.delete('/etc/orch/token');
    await clock.advance(60_000);
    expect(await credentials.get()).toEqual({ authorization: 'Bearer two' });
  });

  it.each([
    ['[', {}, /admin\.conf: is neither YAML nor JSON \(line 1, column 2\)/],
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

  it('loads any file content or rejects it with ERR_CONFIG', async () => {
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
