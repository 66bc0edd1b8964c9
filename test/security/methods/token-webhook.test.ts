import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  clients,
  file,
  issue,
  listen,
  named,
  leap,
  serve,
  servers,
  whoAmI,
  startServersHere,
} from './authenticating-server.ts';

startServersHere();

describe('a token webhook', () => {
  it('is called over TLS with the credentials of its file, at most once in two minutes', async () => {
    const asked: unknown[] = [];
    const hook = await listen(async (request) => {
      const review = JSON.parse(Buffer.from(await request.body(10_000)).toString()) as {
        spec: { token: string };
      };
      asked.push([request.url, request.peer.certificate?.subject, review.spec.token]);
      const status =
        review.spec.token === 'good'
          ? { authenticated: true, user: { username: 'hooked', groups: ['g'], extra: { a: ['b'] } } }
          : { authenticated: false, error: 'no such token' };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ ...review, status })) };
    });
    const identity = issue('api-server', clients);
    const config = file(
      'webhook.yaml',
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `${hook}/check`,
              'certificate-authority': file('hook-ca.pem', servers.certificatePem),
            },
          },
        ],
        users: [
          {
            name: 'u',
            user: {
              'client-certificate': file('hook.crt', identity.certificate),
              'client-key': file('hook.key', identity.key),
            },
          },
        ],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const url = await serve(
      `--authentication-token-webhook-config-file=${config}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=2m',
    );
    for (let i = 0; i < 3; i++)
      expect(await whoAmI(url, { token: 'good' })).toEqual({
        username: 'hooked',
        groups: ['g', 'system:authenticated'],
        extra: { a: ['b'] },
      });
    expect(asked).toEqual([['/check', 'CN=api-server', 'good']]);
    expect(await named(url, { token: 'bad' })).toBe(401);
    leap(120_000);
    expect(await named(url, { token: 'good' })).toBe('hooked');
    expect(asked).toHaveLength(3);
    // A token that an earlier authenticator accepts is never sent to the webhook.
    expect(await named(url, { token: 'root-token' })).toBe('root');
    expect(asked).toHaveLength(3);
  });
});
