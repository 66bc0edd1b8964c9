import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { OutboundPeer } from '../../base/http/outbound.ts';
import { type LogFields, type Logger, silentLogger } from '../../base/log/logger.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createRemoteReview } from '../outbound/remote-review.ts';
import type { Authenticated } from '../request.ts';
import { isRejection, rejectionReason } from './rejection.ts';
import { createTokenCacheMetrics } from './token-memory.ts';
import { type TokenWebhookVersion, createTokenWebhook } from './token-webhook.ts';

type Answer = { status?: number; body: unknown };
const alice = { username: 'alice', uid: '7', groups: ['devs'], extra: { scope: ['a', 'b'] } };

function setUp(response: Answer | ((requested: number) => Answer), version: TokenWebhookVersion = 'v1') {
  const clock = createSimulatedClock();
  const seen: { peer?: OutboundPeer; path?: string; bodies: unknown[] } = { bodies: [] };
  const logged: LogFields[] = [];
  const log: Logger = { ...silentLogger, error: (fields) => logged.push(fields) };
  const outbound = createInMemoryOutbound(() => ({
    admit: (peer) => (seen.peer = peer),
    handler: async (request) => {
      seen.path = request.url;
      seen.bodies.push(JSON.parse(Buffer.from(await request.body(10_000)).toString()));
      const { status = 200, body } = typeof response === 'function' ? response(seen.bodies.length) : response;
      return {
        status,
        headers: {},
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      };
    },
  }));
  const remote = {
    peer: { origin: 'https://hook.test' },
    path: '/authenticate',
    credentials: async () => ({ certificate: 'CERT', key: 'KEY' }),
  };
  const webhook = createTokenWebhook({
    post: createRemoteReview({ outbound, remote, clock, random: createSeededRandom(1), timeoutMs: 10_000 }),
    version,
    vocabulary: v,
    clock,
    log,
    tokenCache: createTokenCacheMetrics(createMetrics(), clock),
    ttlMs: 120_000,
    apiAudiences: ['api'],
  });
  const ask = (token = 'secret', audiences: string[] = ['api']) =>
    webhook.authenticateToken(token, audiences);
  const reason = async (asking: Promise<unknown>): Promise<string> => {
    const thrown: unknown = await asking.catch((error: unknown) => error);
    return isRejection(thrown)
      ? rejectionReason(thrown)
      : expect.unreachable(`not rejected: ${String(thrown)}`);
  };
  return { clock, seen, logged, ask, reason };
}

const review = (status: unknown, version = 'v1') => ({
  kind: 'TokenReview',
  apiVersion: `authentication.k8s.io/${version}`,
  status,
});

describe('token webhook', () => {
  it.each(['v1', 'v1beta1'] as const)(
    'receives one review of %s, with the credentials of its file',
    async (version) => {
      const { ask, seen } = setUp({ body: review({ authenticated: true, user: alice }, version) }, version);
      expect(await ask()).toEqual({ user: alice, audiences: ['api'] });
      expect(seen).toEqual({
        peer: { origin: 'https://hook.test', certificate: 'CERT', key: 'KEY' },
        path: '/authenticate',
        bodies: [
          {
            kind: 'TokenReview',
            apiVersion: `authentication.k8s.io/${version}`,
            metadata: { creationTimestamp: null },
            spec: { token: 'secret', audiences: ['api'] },
            status: { user: {} },
          },
        ],
      });
    },
  );

  it('is not called again for two minutes, whatever it returned', async () => {
    for (const authenticated of [true, false]) {
      const { ask, seen, clock } = setUp({ body: review({ authenticated, user: alice }) });
      const [first] = await Promise.all([ask(), ask()]);
      expect(first === undefined).toBe(!authenticated);
      await clock.advance(119_999);
      expect(await ask()).toEqual(first);
      expect(seen.bodies).toHaveLength(1);
      await ask('another');
      await ask('secret', ['vault']);
      expect(seen.bodies).toHaveLength(3);
      await clock.advance(1);
      await ask();
      expect(seen.bodies).toHaveLength(4);
    }
  });

  it('can narrow the audiences, but never widen them', async () => {
    const audiences = (named: unknown) =>
      setUp({ body: review({ authenticated: true, user: alice, audiences: named }) });
    expect(await audiences(['vault']).ask('t', ['api', 'vault'])).toMatchObject({ audiences: ['vault'] });
    expect(await audiences(['else']).ask('t', ['api'])).toBeUndefined();
    expect(await audiences(undefined).ask('t', ['vault'])).toBeUndefined();
    expect(await audiences([]).ask('t', ['api', 'vault'])).toMatchObject({ audiences: ['api'] });
  });

  it('returns why a token is invalid', async () => {
    const { ask, reason } = setUp({ body: review({ authenticated: false, error: 'expired' }) });
    expect(await reason(ask())).toBe('expired');
    expect(
      await setUp({ body: review({ authenticated: true, user: alice, error: 'odd' }) }).ask(),
    ).toBeDefined();
  });

  it('receives at most four retries after transient failures', async () => {
    const good = { body: review({ authenticated: true, user: alice }) };
    const flaky = setUp((requested) => (requested < 5 ? { status: 503, body: '' } : good));
    const response = flaky.ask();
    await flaky.clock.advance(10_000);
    expect(await response).toMatchObject({ user: alice });
    const down = setUp({ status: 500, body: 'secret!' });
    const refusal = down.reason(down.ask());
    await down.clock.advance(10_000);
    expect(await refusal).toBe('Post "https://hook.test/authenticate": unexpected status 500');
    expect(down.seen.bodies).toHaveLength(5);
    expect(JSON.stringify(down.logged)).not.toContain('secret');
  });

  it('rejects the token if it fails or redirects, and is called again the next time', async () => {
    for (const status of [301, 302, 307, 400, 401, 404]) {
      const { ask, reason, seen } = setUp({ status, body: review({ authenticated: true, user: alice }) });
      expect(await reason(ask())).toContain(`unexpected status ${status}`);
      await reason(ask());
      expect(seen.bodies).toHaveLength(2);
    }
  });

  it('authenticates only with `true` for a named user in a review of the sent version', async () => {
    for (const status of [
      { authenticated: 'true', user: alice },
      { authenticated: 1, user: alice },
      { user: alice },
      null,
      undefined,
    ])
      expect(await setUp({ body: review(status) }).ask()).toBeUndefined();
    for (const body of [
      review({ authenticated: true, user: alice }, 'v1beta1'),
      { ...review({ authenticated: true, user: alice }), kind: 'SubjectAccessReview' },
      review({ authenticated: true }),
      review({ authenticated: true, user: { username: '' } }),
      review({ authenticated: true, user: { username: ['alice'] } }),
      review([]),
      [],
      '',
      'not json',
    ]) {
      const { ask, reason } = setUp({ body });
      expect(await reason(ask())).not.toBe('');
    }
  });

  it('causes no error other than a rejection, whatever it returns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (user, rest) => {
        const { ask } = setUp({ body: review({ authenticated: true, user, extra: rest, audiences: rest }) });
        const found: unknown = await ask().catch((error: unknown) => error);
        if (found === undefined || isRejection(found)) return;
        expect(typeof (found as Authenticated).user.username).toBe('string');
        expect((found as Authenticated).user.groups.every((group) => typeof group === 'string')).toBe(true);
      }),
    );
  });
});
