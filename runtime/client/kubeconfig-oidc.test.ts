import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Outbound, OutboundRequest, OutboundResponse } from '../../base/http/outbound.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { PEM, SECRET, config, data, setUp } from './kubeconfig.fixture.ts';

describe('an oidc auth-provider', () => {
  const login = {
    'idp-issuer-url': 'https://login.test/team/',
    'client-id': 'cli:1',
    'client-secret': 'a secret',
    'refresh-token': 'refresh-1',
    'idp-certificate-authority-data': data,
  };
  /** Creates a token that expires `seconds` after the start time of the clock. */
  const token = (seconds: number, name = 'a'): string =>
    ['{}', JSON.stringify({ name, exp: Date.parse('2026-01-01T00:00:00Z') / 1000 + seconds }), name]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  const shown = (text: string) => ({ authorization: `Bearer ${text}` });

  /** Creates an issuer that returns `answers` to token requests, in order. */
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

  it('returns the id token while it is valid', async () => {
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
    expect(await credentials.rejected(both[0])).toBe(true);
    expect(await credentials.get()).toEqual(shown(token(7200, 'c')));
    expect(asked[1]?.body).toBe('grant_type=refresh_token&refresh_token=refresh-2');
    expect(opened()).toBe(0);
  });

  it('sends the client ID in the form if there is no client secret', async () => {
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
  ] as const)('rejects the response %j without a quote of it', async (answer, message) => {
    const { load, opened } = issuer([answer]);
    const thrown: unknown = await (await load()).get().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ERR_CREDENTIAL', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toContain(SECRET);
    expect(opened()).toBe(0);
  });

  it('rejects once the id token has expired if there is no refresh token', async () => {
    const { 'refresh-token': _, ...short } = login;
    const { clock, load } = issuer([], { ...short, 'id-token': token(60) });
    const credentials = await load();
    expect(await credentials.rejected({})).toBe(false);
    await clock.advance(60_000);
    await expect(credentials.get()).rejects.toThrow(/no valid id-token and no refresh-token/);
  });
});
