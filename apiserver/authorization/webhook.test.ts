import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { OutboundPeer } from '../../base/http/outbound.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createRemoteReview } from '../outbound/remote-review.ts';
import type { Attributes } from '../request.ts';
import { alwaysAllow } from './fixed.ts';
import { createUnion } from './union.ts';
import { type WebhookVersion, createWebhookAuthorizer } from './webhook.ts';

const pods: Attributes = {
  user: { username: 'alice', uid: '1', groups: ['devs'], extra: { scopes: ['read'] } },
  verb: 'get',
  isResourceRequest: true,
  path: '',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: 'scale',
  namespace: 'ns',
  name: 'web',
};

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  /** Code of a connection error that occurs in place of a response. */
  readonly error?: string;
}

/** Creates a webhook with scripted responses. The last response is repeated; null stands for no response. */
function service(version: WebhookVersion, ...responses: readonly (Answer | null)[]) {
  const clock = createSimulatedClock();
  const received: {
    path: string;
    authorization: string | undefined;
    body: unknown;
    peer: OutboundPeer | undefined;
  }[] = [];
  let peer: OutboundPeer | undefined;
  const outbound = createInMemoryOutbound((origin) =>
    origin === 'https://authz.example:8443'
      ? {
          admit: (given) => {
            peer = given;
          },
          handler: async (request) => {
            const body: unknown = JSON.parse((await request.body(1 << 20)).toString());
            received.push({
              path: request.url,
              authorization: request.headers['authorization']?.[0],
              body,
              peer,
            });
            const response = responses[Math.min(received.length, responses.length) - 1];
            if (response === null || response === undefined) return new Promise(() => {});
            if (response.error !== undefined)
              throw Object.assign(new Error('connection failed'), { code: response.error });
            return {
              status: response.status ?? 200,
              headers: {},
              body: Buffer.from(
                typeof response.body === 'string' ? response.body : JSON.stringify(response.body ?? {}),
              ),
            };
          },
        }
      : undefined,
  );
  const remote = {
    peer: { origin: 'https://authz.example:8443', ca: 'CA' },
    path: '/authorize?key=secret',
    credentials: () => Promise.resolve({ authorization: 'Bearer t', certificate: 'CERT', key: 'KEY' }),
  };
  const post = createRemoteReview({ outbound, remote, clock, random: createSeededRandom(1) });
  const authorizer = createWebhookAuthorizer({
    post,
    version,
    vocabulary: kubernetesVocabulary,
    clock,
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
  });
  const authorize = async (attributes: Partial<Attributes> = {}) => {
    const decided = authorizer.authorize({ ...pods, ...attributes });
    for (let i = 0; i < 20; i++) await clock.advance(i < 10 ? 0 : 5_000);
    return decided;
  };
  return { authorizer, authorize, received, clock };
}

const review = (status: object, version: WebhookVersion = 'v1'): Answer => ({
  body: { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${version}`, status },
});

describe('webhook authorizer', () => {
  it('sends all attributes of the request, with the configured credentials', async () => {
    const { authorize, received } = service('v1', review({ allowed: true, reason: 'r' }));
    expect(await authorize()).toEqual({ verdict: 'allow', reason: 'r' });
    expect(received).toEqual([
      {
        path: '/authorize?key=secret',
        authorization: 'Bearer t',
        peer: { origin: 'https://authz.example:8443', ca: 'CA', certificate: 'CERT', key: 'KEY' },
        body: {
          kind: 'SubjectAccessReview',
          apiVersion: 'authorization.k8s.io/v1',
          metadata: { creationTimestamp: null },
          spec: {
            resourceAttributes: {
              namespace: 'ns',
              verb: 'get',
              group: 'apps',
              version: 'v1',
              resource: 'deployments',
              subresource: 'scale',
              name: 'web',
            },
            user: 'alice',
            groups: ['devs'],
            extra: { scopes: ['read'] },
            uid: '1',
          },
          status: { allowed: false },
        },
      },
    ]);
  });

  it('sends paths, and names the field of groups `group` in v1beta1', async () => {
    const { authorize, received } = service('v1beta1', review({ allowed: true }, 'v1beta1'));
    await authorize({ isResourceRequest: false, path: '/metrics', user: { username: 'bob', groups: ['g'] } });
    expect(received[0]?.body).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' }, user: 'bob', group: ['g'] },
    });
  });

  it.each([
    [{ allowed: true }, { verdict: 'allow', reason: '' }],
    [
      { allowed: false, reason: 'why' },
      { verdict: 'no-opinion', reason: 'why' },
    ],
    [
      { allowed: false, denied: true, reason: 'no' },
      { verdict: 'deny', reason: 'no' },
    ],
    [{ allowed: 'true' }, { verdict: 'no-opinion', reason: '' }],
    [{}, { verdict: 'no-opinion', reason: '' }],
    [
      { allowed: true, denied: true },
      {
        verdict: 'deny',
        reason: '',
        error: 'webhook subject access review returned both allow and deny response',
      },
    ],
  ])('converts the status %o to %o', async (status, decision) => {
    expect(await service('v1', review(status)).authorize()).toEqual(decision);
  });

  it('caches an allowed request for five minutes, any other decision for 30 seconds', async () => {
    const allowing = service('v1', review({ allowed: true }));
    await allowing.authorize();
    await allowing.clock.advance(240_000);
    await allowing.authorize();
    expect(allowing.received).toHaveLength(1);
    await allowing.clock.advance(60_000);
    await allowing.authorize();
    expect(allowing.received).toHaveLength(2);
    const refusing = service('v1', review({ allowed: false }));
    await refusing.authorize();
    await refusing.authorize();
    expect(refusing.received).toHaveLength(2);
  });

  it('caches each request separately, and caches no very long request', async () => {
    const { authorize, received } = service('v1', review({ allowed: true }));
    await authorize();
    await authorize({ user: { ...pods.user, groups: ['ops'] } });
    await authorize({ user: { ...pods.user, extra: {} } });
    await authorize({ name: 'another' });
    expect(received).toHaveLength(4);
    await authorize({ name: 'x'.repeat(10_000) });
    await authorize({ name: 'x'.repeat(10_000) });
    expect(received).toHaveLength(6);
  });

  it('retries a limited number of times after a transient error', async () => {
    const { authorize, received } = service(
      'v1',
      { status: 500 },
      { status: 429 },
      review({ allowed: true }),
    );
    expect(await authorize()).toEqual({ verdict: 'allow', reason: '' });
    expect(received).toHaveLength(3);
    const hungUp = service('v1', { error: 'ECONNRESET' }, review({ allowed: true }));
    expect(await hungUp.authorize()).toEqual({ verdict: 'allow', reason: '' });
    const lasting = service('v1', { status: 503 });
    expect(await lasting.authorize()).toEqual({
      verdict: 'no-opinion',
      reason: '',
      error: 'Post "https://authz.example:8443/authorize": unexpected status 503',
    });
    expect(lasting.received).toHaveLength(5);
  });

  it.each<[string, Answer | null, string]>([
    ['returns status 403', { status: 403 }, 'unexpected status 403'],
    ['redirects', { status: 302 }, 'unexpected status 302'],
    ['returns something other than JSON', { body: '<html>' }, 'the response is not JSON'],
    ['does not respond', null, 'context deadline exceeded'],
    [
      'cannot be reached',
      { error: 'ECONNREFUSED' },
      'Post "https://authz.example:8443/authorize": dial tcp authz.example:8443: connect: connection refused',
    ],
    [
      'returns another kind',
      { body: { kind: 'Status' } },
      'webhook returned something other than a SubjectAccessReview of authorization.k8s.io/v1',
    ],
    [
      'returns another version',
      review({ allowed: true }, 'v1beta1'),
      'webhook returned something other than a SubjectAccessReview of authorization.k8s.io/v1',
    ],
  ])(
    'has no opinion if the service %s, reports the error, and does not cache it',
    async (_what, response, error) => {
      const { authorize, received } = service('v1', response, review({ allowed: true }));
      const decision = await authorize();
      expect(decision).toMatchObject({ verdict: 'no-opinion', reason: '' });
      expect(decision.error).toContain(error);
      expect(decision.error).not.toContain('secret');
      expect(await authorize()).toEqual({ verdict: 'allow', reason: '' });
      expect(received).toHaveLength(2);
    },
  );

  it('never allows a request because of an invalid response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.record({ status: fc.jsonValue() })), async (body) => {
        const decision = await service('v1', { body }).authorizer.authorize(pods);
        expect(decision.verdict).toBe('no-opinion');
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('allowed', 'denied', 'reason'), fc.jsonValue()),
        async (status) => {
          const { verdict } = await service('v1', review(status)).authorizer.authorize(pods);
          expect(verdict === 'allow').toBe(status['allowed'] === true && status['denied'] !== true);
        },
      ),
    );
  });

  it('leaves the decision to later authorizers, and reports the error if none decides', async () => {
    const { authorizer } = service('v1', { status: 403 });
    expect(await createUnion([authorizer, alwaysAllow]).authorize(pods)).toEqual({
      verdict: 'allow',
      reason: '',
    });
    expect(await createUnion([authorizer]).authorize(pods)).toMatchObject({
      verdict: 'no-opinion',
      error: expect.stringContaining('unexpected status 403'),
    });
    expect(await authorizer.rules?.(pods.user, 'ns')).toMatchObject({
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    });
  });
});
