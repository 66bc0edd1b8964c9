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
  /** The code of an error instead of an answer. */
  readonly error?: string;
}

/** A service that answers by a script, the last line again and again; null: it never answers. */
function service(version: WebhookVersion, ...answers: readonly (Answer | null)[]) {
  const clock = createSimulatedClock();
  const asked: {
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
            asked.push({
              path: request.url,
              authorization: request.headers['authorization']?.[0],
              body,
              peer,
            });
            const answer = answers[Math.min(asked.length, answers.length) - 1];
            if (answer === null || answer === undefined) return new Promise(() => {});
            if (answer.error !== undefined) throw Object.assign(new Error('gone'), { code: answer.error });
            return {
              status: answer.status ?? 200,
              headers: {},
              body: Buffer.from(
                typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}),
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
  return { authorizer, authorize, asked, clock };
}

const review = (status: object, version: WebhookVersion = 'v1'): Answer => ({
  body: { kind: 'SubjectAccessReview', apiVersion: `authorization.k8s.io/${version}`, status },
});

describe('webhook authorizer', () => {
  it('asks with everything that is known, as who its configuration says', async () => {
    const { authorize, asked } = service('v1', review({ allowed: true, reason: 'r' }));
    expect(await authorize()).toEqual({ verdict: 'allow', reason: 'r' });
    expect(asked).toEqual([
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

  it('calls the groups by their older name in the older version, and asks for paths', async () => {
    const { authorize, asked } = service('v1beta1', review({ allowed: true }, 'v1beta1'));
    await authorize({ isResourceRequest: false, path: '/metrics', user: { username: 'bob', groups: ['g'] } });
    expect(asked[0]?.body).toMatchObject({
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
  ])('takes %o for %o', async (status, decision) => {
    expect(await service('v1', review(status)).authorize()).toEqual(decision);
  });

  it('keeps leave for five minutes, and anything else for half a minute', async () => {
    const allowing = service('v1', review({ allowed: true }));
    await allowing.authorize();
    await allowing.clock.advance(240_000);
    await allowing.authorize();
    expect(allowing.asked).toHaveLength(1);
    await allowing.clock.advance(60_000);
    await allowing.authorize();
    expect(allowing.asked).toHaveLength(2);
    const refusing = service('v1', review({ allowed: false }));
    await refusing.authorize();
    await refusing.authorize();
    expect(refusing.asked).toHaveLength(2);
  });

  it('asks anew for any other question, and keeps none that is very long', async () => {
    const { authorize, asked } = service('v1', review({ allowed: true }));
    await authorize();
    await authorize({ user: { ...pods.user, groups: ['ops'] } });
    await authorize({ user: { ...pods.user, extra: {} } });
    await authorize({ name: 'another' });
    expect(asked).toHaveLength(4);
    await authorize({ name: 'x'.repeat(10_000) });
    await authorize({ name: 'x'.repeat(10_000) });
    expect(asked).toHaveLength(6);
  });

  it('asks again after a trouble that passes, and not for ever', async () => {
    const { authorize, asked } = service('v1', { status: 500 }, { status: 429 }, review({ allowed: true }));
    expect(await authorize()).toEqual({ verdict: 'allow', reason: '' });
    expect(asked).toHaveLength(3);
    const hungUp = service('v1', { error: 'ECONNRESET' }, review({ allowed: true }));
    expect(await hungUp.authorize()).toEqual({ verdict: 'allow', reason: '' });
    const lasting = service('v1', { status: 503 });
    expect(await lasting.authorize()).toEqual({
      verdict: 'no-opinion',
      reason: '',
      error: 'Post "https://authz.example:8443/authorize": unexpected status 503',
    });
    expect(lasting.asked).toHaveLength(5);
  });

  it.each<[string, Answer | null, string]>([
    ['refuses', { status: 403 }, 'unexpected status 403'],
    ['redirects', { status: 302 }, 'unexpected status 302'],
    ['answers with something else than JSON', { body: '<html>' }, 'the answer is not JSON'],
    ['is silent', null, 'context deadline exceeded'],
    [
      'is not there',
      { error: 'ECONNREFUSED' },
      'Post "https://authz.example:8443/authorize": dial tcp authz.example:8443: connect: connection refused',
    ],
    [
      'answers with another kind',
      { body: { kind: 'Status' } },
      'webhook answered with something else than a SubjectAccessReview of authorization.k8s.io/v1',
    ],
    [
      'answers in another version',
      review({ allowed: true }, 'v1beta1'),
      'webhook answered with something else than a SubjectAccessReview of authorization.k8s.io/v1',
    ],
  ])('has no opinion when the service %s, tells why, and forgets it', async (_what, answer, error) => {
    const { authorize, asked } = service('v1', answer, review({ allowed: true }));
    const decision = await authorize();
    expect(decision).toMatchObject({ verdict: 'no-opinion', reason: '' });
    expect(decision.error).toContain(error);
    expect(decision.error).not.toContain('secret');
    expect(await authorize()).toEqual({ verdict: 'allow', reason: '' });
    expect(asked).toHaveLength(2);
  });

  it('is never talked into a yes by an answer that is none', async () => {
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

  it('leaves the decision to the modes after it, and says so where none decides', async () => {
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
