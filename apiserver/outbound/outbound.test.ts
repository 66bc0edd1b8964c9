import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Endpoints, Service } from '../../api/types/core-v1-service.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { HttpHandler, HttpRequest } from '../../base/http/message.ts';
import { OutboundError, type OutboundPeer } from '../../base/http/outbound.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { outboundReason } from './reason.ts';
import { createServiceResolver } from './service-resolver.ts';
import { type WebhookClientConfig, createWebhookCaller } from './webhook-caller.ts';

function resolver(spec: Service['spec'] | undefined, subsets?: Endpoints['subsets']) {
  return createServiceResolver({
    services: { get: () => spec && ({ spec } as never) },
    endpoints: { get: () => subsets && ({ subsets } as never) },
    random: createSeededRandom(1),
  });
}

const ports = [{ name: 'https', port: 443 }];

describe('address of a Service', () => {
  it('is that of a ready endpoint, with the port of the given name', () => {
    const found = resolver({ clusterIP: '10.0.0.9', ports }, [
      {
        addresses: [{ ip: 'fd00::1' }],
        notReadyAddresses: [{ ip: '10.1.1.2' }],
        ports: [
          { name: 'metrics', port: 9 },
          { name: 'https', port: 8443 },
        ],
      },
    ]);
    expect(found('default', 'wardle', 443)).toEqual({
      origin: 'https://[fd00::1]:8443',
      serverName: 'wardle.default.svc',
    });
  });

  it('is that of each of its endpoints over time', () => {
    const addresses = [{ ip: '10.1.1.1' }, { ip: '10.1.1.2' }];
    const found = resolver({ ports }, [{ addresses, ports: [{ name: 'https', port: 1 }] }]);
    const origins = Array.from({ length: 50 }, () => found('d', 'n', 443)).map((each) =>
      'origin' in each ? each.origin : '',
    );
    expect(new Set(origins)).toEqual(new Set(['https://10.1.1.1:1', 'https://10.1.1.2:1']));
  });

  it('is its cluster IP if it has no endpoints', () => {
    expect(resolver({ clusterIP: '10.0.0.9', ports })('d', 'n', 443)).toMatchObject({
      origin: 'https://10.0.0.9:443',
    });
  });

  it('is its external name', () => {
    const found = resolver({ type: 'ExternalName', externalName: 'example.com' });
    expect(found('d', 'n', 9443)).toEqual({ origin: 'https://example.com:9443', serverName: 'n.d.svc' });
  });

  it.each([
    [undefined, undefined, 'service "n" not found'],
    [{ ports: [] }, undefined, 'no service port 443 found for service "n"'],
    [{ ports, clusterIP: 'None' }, undefined, 'no endpoints available for service "n"'],
    [{ ports, clusterIP: '10.0.0.9' }, [], 'no endpoints available for service "n"'],
  ])('does not exist for %j with endpoints %j', (spec, subsets, rejection) => {
    expect(resolver(spec, subsets)('d', 'n', 443)).toEqual({ rejection });
  });
});

function webhook(handler: HttpHandler) {
  const clock = createSimulatedClock();
  const seen: { peer?: OutboundPeer; request?: HttpRequest } = {};
  const outbound = createInMemoryOutbound(() => ({
    handler: (request) => {
      seen.request = request;
      return handler(request);
    },
    admit: (peer) => {
      seen.peer = peer;
    },
  }));
  const resolve = resolver({ clusterIP: '10.0.0.9', ports: [{ port: 443 }] });
  const caller = createWebhookCaller({
    outbound,
    resolve,
    clock,
    vocabulary: kubernetesVocabulary,
    responseLimitBytes: 100,
  });
  const call = (clientConfig: WebhookClientConfig, announcesTimeout = false) =>
    caller.call({ clientConfig, body: { a: 1 }, timeoutMs: 10_000, announcesTimeout });
  return { call, clock, seen };
}

const answering =
  (text: string, status = 200): HttpHandler =>
  () =>
    Promise.resolve({ status, headers: {}, body: Buffer.from(text) });
const service = { namespace: 'd', name: 'n', path: '/convert' };

describe('webhook', () => {
  it('receives and returns a JSON document', async () => {
    const { call, seen } = webhook(answering('{"ok":true}'));
    const caBundle = Buffer.from('PEM').toString('base64');
    expect(await call({ service, caBundle }, true)).toEqual({ ok: true });
    expect(seen.peer).toEqual({ origin: 'https://10.0.0.9:443', serverName: 'n.d.svc', ca: 'PEM' });
    expect([seen.request?.method, seen.request?.url]).toEqual(['POST', '/convert?timeout=10s']);
    expect((await seen.request?.body(100))?.toString()).toBe('{"a":1}');
    expect(seen.request?.headers['user-agent']).toEqual(['kube-apiserver-admission']);
  });

  it('is called at its URL', async () => {
    const { call, seen } = webhook(answering('{}'));
    await call({ url: 'https://example.com:8443/a/b' });
    expect([seen.peer?.origin, seen.request?.url]).toEqual(['https://example.com:8443', '/a/b']);
  });

  it.each(['http://example.com/', 'https://user:secret@example.com/', 'nonsense'])(
    'at %s is never called, and the error message does not contain the URL',
    async (url) => {
      const { call, seen } = webhook(answering('{}'));
      await expect(call({ url })).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_ADDRESS',
        message: 'a webhook URL must use https and have no user name or password',
      });
      expect(seen.request).toBeUndefined();
    },
  );

  it('cannot address another host by the path of its Service', async () => {
    const { call, seen } = webhook(answering('{}'));
    await call({ service: { ...service, path: '@evil.example/' } });
    expect([seen.peer?.origin, seen.request?.url]).toEqual(['https://10.0.0.9:443', '/@evil.example/']);
  });

  it.each([
    [
      'ERR_WEBHOOK_ANSWER',
      answering('<html>'),
      "couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value",
    ],
    ['ERR_WEBHOOK_ANSWER', answering(''), '0-length response with status code: 200 and content type: '],
    ['ERR_WEBHOOK_ANSWER', answering('x'.repeat(101)), 'the response is larger than 100 bytes'],
    ['ERR_WEBHOOK_STATUS', answering('', 404), 'the server could not find the requested resource'],
    [
      'ERR_WEBHOOK_STATUS',
      answering('{"kind":"Status","apiVersion":"v1","message":"not you"}', 403),
      'not you',
    ],
    [
      'ERR_WEBHOOK_STATUS',
      answering('boom', 500),
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
  ])('fails with %s', async (code, handler, message) => {
    await expect(webhook(handler).call({ service })).rejects.toMatchObject({ code, message });
  });

  it('times out without a response', async () => {
    const { call, clock } = webhook(() => new Promise(() => {}));
    const called = call({ service });
    const failure = expect(called).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_TIMEOUT',
      message: 'Post "https://n.d.svc:443/convert": context deadline exceeded',
    });
    await clock.advance(10_000);
    await failure;
  });
});

describe('reason for a missing response', () => {
  const reason = (code: string, more: object = {}): string => {
    const cause = Object.assign(new Error('message of the library'), { code, ...more });
    return outboundReason(
      new OutboundError('ERR_OUTBOUND_TLS', 'own message', { cause }),
      'https://hook.d:8443',
    );
  };

  it.each([
    ['ECONNREFUSED', {}, 'dial tcp hook.d:8443: connect: connection refused'],
    ['ENOTFOUND', {}, 'dial tcp: lookup hook.d: no such host'],
    ['UND_ERR_SOCKET', {}, 'EOF'],
    ['ECONNRESET', {}, 'read: connection reset by peer'],
    [
      'UND_ERR_HEADERS_TIMEOUT',
      {},
      'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    ],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', {}, 'x509: certificate signed by unknown authority'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'x509: certificate signed by unknown authority'],
    ['CERT_HAS_EXPIRED', {}, 'x509: certificate has expired or is not yet valid'],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      { host: 'n.d.svc', cert: { subjectaltname: 'DNS:a, DNS:b, IP Address:10.0.0.1' } },
      'x509: certificate is valid for a, b, not n.d.svc',
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      { host: '10.0.0.2', cert: { subjectaltname: 'DNS:a' } },
      "x509: cannot validate certificate for 10.0.0.2 because it doesn't contain any IP SANs",
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      { host: 'n.d.svc', cert: {} },
      'x509: certificate is not valid for any names, but wanted to match n.d.svc',
    ],
    ['EPROTO', {}, 'own message'],
  ])("has Go's wording after %s %j", (code, more, message) => {
    expect(reason(code, more)).toBe(message);
  });
});
