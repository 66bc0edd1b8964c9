import { afterEach, describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../http/request/request-info.ts';
import {
  GROUP,
  ORIGIN,
  REGISTRATIONS,
  authorized,
  startAggregated,
  stopServers,
} from './aggregator.fixture.ts';

afterEach(stopServers);

describe('request for a group version of another server', () => {
  it('is forwarded with the identity of the user, whatever headers the client sends', async () => {
    const { caller, peer } = await startAggregated();
    const response = await caller.request(
      'POST',
      `/apis/${GROUP}/v1/namespaces/default/flunders?dryRun=All`,
      {
        headers: {
          user: 'alice',
          authorization: 'Bearer secret',
          'x-remote-user': 'root',
          'x-remote-group': 'system:masters',
          'x-forwarded-for': '192.0.2.1',
        },
        body: 'hello',
      },
    );
    expect([response.status, response.header('x-peer')]).toEqual([201, 'yes']);
    expect(await response.json()).toEqual({ method: 'POST', body: 'hello' });
    const [request] = peer.seen;
    expect(request?.url).toBe(`/apis/${GROUP}/v1/namespaces/default/flunders?dryRun=All`);
    expect(request?.headers).toMatchObject({
      'x-remote-user': ['alice'],
      'x-remote-group': ['devs'],
      'x-remote-extra-a%2fb': ['1'],
      'x-forwarded-for': ['192.0.2.1, 127.0.0.1'],
      'x-forwarded-host': ['10.1.1.1:8443'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': [`/apis/${GROUP}/v1/namespaces/default/flunders`],
      'audit-id': [response.header('audit-id')],
    });
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it('is forwarded only if a server that ignores empty segments and matrix parameters interprets its path as authorized', async () => {
    const { caller, peer } = await startAggregated();
    const path = `/apis/${GROUP}/v1/namespaces/a/flunders/x`;
    const parts = [
      '//',
      '/./',
      '/../',
      '/..;/',
      '/..;a=b/',
      '/%2e%2e;/',
      '/.;/',
      '/;/',
      '/;a/',
      ';a/',
      '/..;/..;/..;/b/',
    ];
    const after = ['', '/', '//', ';a', '/;a', '/..;', '/..;/y', '/..;/..;/..;/b/flunders', '//status'];
    const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
    const spellings = [
      ...slashes.flatMap((at) => parts.map((part) => path.slice(0, at) + part + path.slice(at + 1))),
      ...after.map((end) => path + end),
    ];
    let forwarded = 0;
    for (const spelling of spellings) {
      peer.seen.length = 0;
      authorized.length = 0;
      await caller.request('GET', spelling);
      const [request] = peer.seen;
      if (request === undefined) continue;
      forwarded++;
      const plain = request.url.replace(/;[^/]*/g, '').replace(/\/+/g, '/');
      const { namespace, resource, subresource, name } = parseRequestInfo(
        'GET',
        new URL(plain, ORIGIN).pathname,
      );
      expect([spelling, authorized[0]]).toMatchObject([spelling, { namespace, resource, subresource, name }]);
    }
    expect(forwarded).toBeGreaterThan(1);
    await caller.request('GET', `${path}/proxy//a;b`);
    expect(peer.seen.at(-1)?.url).toBe(`${path}/proxy//a;b`);
  });

  it('is forwarded with the impersonated identity', async () => {
    const { caller, peer } = await startAggregated();
    await caller.request('GET', `/apis/${GROUP}/v1/flunders`, { headers: { 'impersonate-user': 'bob' } });
    expect(peer.seen[0]?.headers).toMatchObject({
      'x-remote-user': ['bob'],
      'x-remote-group': ['system:authenticated'],
    });
    expect(peer.seen[0]?.headers['impersonate-user']).toBeUndefined();
  });

  it('is not redirected by that server', async () => {
    const { caller } = await startAggregated();
    const response = await caller.request('GET', `/apis/${GROUP}/v1/away`);
    expect([response.status, await response.text()]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
  });

  it('is forwarded with the requested protocol upgrade and the identity', async () => {
    const { caller, peer } = await startAggregated();
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    await caller.request('GET', `/apis/${GROUP}/v1/flunders`, { headers });
    expect(peer.seen[0]?.headers).toMatchObject({
      connection: ['Upgrade'],
      upgrade: ['SPDY/3.1'],
      'x-remote-user': [expect.any(String) as string],
    });
  });

  it('receives 503 if the server fails between two checks', async () => {
    const { caller, peer } = await startAggregated();
    peer.state.up = false;
    const response = await caller.request('GET', `/apis/${GROUP}/v1/flunders`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('error trying to reach service: ');
  });

  it('streams watch events as they arrive, and is aborted when the client disconnects', async () => {
    const { caller, peer } = await startAggregated();
    const response = await caller.request('GET', `/apis/${GROUP}/v1/flunders?watch=true`);
    const chunks = response.chunks();
    const first = chunks.next();
    const [sink] = peer.watchers;
    sink?.write(Buffer.from('{"type":"ADDED"}\n'));
    expect(Buffer.from((await first).value as Uint8Array).toString()).toBe('{"type":"ADDED"}\n');
    const gone = new Promise<void>((resolve) => sink?.onClose(resolve));
    await chunks.return?.();
    await gone;
    expect(peer.seen[0]?.signal.aborted).toBe(true);
  });

  it('is not forwarded after the deletion of its APIService', async () => {
    const { caller, peer } = await startAggregated();
    await caller.request('DELETE', `${REGISTRATIONS}/v1.${GROUP}`);
    expect((await caller.request('GET', `/apis/${GROUP}/v1/flunders`)).status).toBe(404);
    expect(peer.seen).toEqual([]);
  });
});
