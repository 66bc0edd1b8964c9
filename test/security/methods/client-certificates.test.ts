import { connect } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  clients,
  clock,
  file,
  issue,
  named,
  leap,
  proxies,
  serve,
  servers,
  strangers,
  whoAmI,
  startServersHere,
} from './authenticating-server.ts';

startServersHere();

/** Returns the status code of the response to raw bytes that no client would send. */
function statusOf(url: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: servers.certificatePem }, () =>
      socket.write(bytes, 'latin1'),
    );
    socket.once('data', (data) => {
      resolve(Number(data.toString('latin1').split(' ', 2)[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('an authenticating proxy', () => {
  let url: string;
  const jane = { 'x-remote-user': 'jane', 'x-remote-group': 'devs', 'x-remote-extra-acme.com%2Fk': 'v' };
  beforeAll(async () => {
    url = await serve(
      `--requestheader-client-ca-file=${file('proxy-ca.pem', proxies.certificatePem)}`,
      '--requestheader-allowed-names=front',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    );
  });

  it('names the user of a request', async () => {
    expect(await whoAmI(url, { ...issue('front', proxies), headers: jane })).toEqual({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
      extra: { 'acme.com/k': ['v'] },
    });
  });

  it.each([
    'x-remote-user',
    'X-REMOTE-USER',
    'X-Remote-User',
    'x_remote_user',
    'X-Remote-User-',
    'X-Remote_User',
  ])('cannot be imitated by the header %s', async (header) => {
    const headers = { [header]: 'system:admin', 'x-remote-group': 'system:masters', 'x-remote-uid': '0' };
    expect(await named(url, { headers })).toBe('system:anonymous');
    expect(await whoAmI(url, { ...issue('alice', clients), headers })).toEqual({
      username: 'alice',
      groups: ['system:authenticated'],
    });
    expect(await named(url, { token: 'root-token', headers })).toBe('root');
    expect(await named(url, { token: 'nonsense', headers })).toBe(401);
    expect(await named(url, { ...issue('front', strangers), headers })).toBe(401);
    expect(await named(url, { ...issue('imitation', proxies), headers })).toBe(401);
    expect(await named(url, { ...issue('front', proxies, { usages: ['server auth'] }), headers })).toBe(401);
    expect(await named(url, { ...issue('front', clients), headers })).toBe('front');
  });

  it.each([
    ['X-Remote-User: system:admin\r\nX-Remote-Group: system:masters', 403],
    ['X-Remote-User : system:admin', 400],
    [' X-Remote-User: system:admin', 400],
    ['X-Remote-User\t: system:admin', 400],
    ['X-Remote-User\0: system:admin', 400],
    ['X-Other: a\r\n X-Remote-User: system:admin', 400],
    ['Authorization: Bearer nonsense\r\nAuthorization: Bearer root-token', 401],
    ['Authorization: Bearer nonsense, Bearer root-token', 401],
  ])('cannot be imitated by a malformed header: %j', async (lines, status) => {
    expect(
      await statusOf(url, `GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n`),
    ).toBe(status);
  });

  it('does not authenticate as a user by its certificate alone', async () => {
    expect(await named(url, issue('front', proxies))).toBe(401);
  });

  it('can forward impersonation, if the user has permission to impersonate', async () => {
    const headers = { ...jane, 'impersonate-user': 'root' };
    expect(await named(url, { ...issue('front', proxies), headers })).toBe(403);
    expect(await named(url, { token: 'root-token', headers: { 'impersonate-user': 'bob' } })).toBe('bob');
  });
});

describe('client certificates', () => {
  it('authenticate clients of the client authority within their validity period', async () => {
    const url = await serve();
    const soon = { notAfterMs: Math.floor(clock.now() / 1000) * 1000 + 60_000 };
    const short = issue('alice', clients, soon);
    expect(await whoAmI(url, issue('alice', clients, { organizations: ['devs'] }))).toEqual({
      username: 'alice',
      groups: ['devs', 'system:authenticated'],
    });
    expect(await named(url, issue('alice', clients, { usages: ['server auth'] }))).toBe(401);
    expect(await named(url, issue('alice', strangers))).toBe(401);
    expect(await named(url, short)).toBe('alice');
    leap(61_000);
    expect(await named(url, short)).toBe(401);
    // The certificate has expired, so only a valid token authenticates the client.
    expect(await named(url, { ...short, token: 'root-token' })).toBe('root');
    expect(await named(url, { ...short, token: 'nonsense' })).toBe(401);
  });
});
