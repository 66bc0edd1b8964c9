import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary as v } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createMetrics } from '../../../base/metrics/metrics.ts';
import { NO_TRAIL } from '../../audit/trail.ts';
import { anonymous } from '../../auth/anonymous.ts';
import { createBearerAuthenticator, createTokenChain } from '../../auth/bearer.ts';
import { rejected } from '../../auth/rejection.ts';
import { requestWith } from '../../auth/request.fixture.ts';
import { createTokenFileAuthenticator } from '../../auth/token-file.ts';
import type { Authenticator, RequestContext } from '../../request.ts';
import { createAuthentication } from './authentication.ts';

const named = (name: string, answer: () => Promise<string | undefined>): Authenticator => ({
  name,
  authenticate: async () => {
    const username = await answer();
    return username === undefined ? undefined : { user: { username, groups: [] } };
  },
});
const accepting = (username: string) => named(username, async () => username);
const ignoring = named('ignoring', async () => undefined);
const rejecting = named('rejecting', () => Promise.reject(rejected('bad')));

function setUp(authenticators: readonly Authenticator[]) {
  const metrics = createMetrics();
  const clock = createSimulatedClock();
  const stage = createAuthentication({
    authenticators,
    identityHeaders: { username: ['X-Who'], group: [], extraPrefix: [] },
    vocabulary: v,
    log: silentLogger,
    metrics,
    clock,
  });
  const authenticate = async (headers: Record<string, string[]> = {}) => {
    const annotations: Record<string, string> = {};
    const context = {
      http: requestWith(headers),
      audit: { ...NO_TRAIL, annotate: (key: string, value: string) => (annotations[key] = value) },
      audiences: [],
      id: 'x',
    } as unknown as RequestContext;
    let entered = false;
    await stage.run(context, async () => {
      entered = true;
      return { status: 200, headers: {}, body: new Uint8Array() };
    });
    expect(entered).toBe(true);
    return { user: context.user, headers: Object.keys(context.http.headers), annotations };
  };
  return { authenticate, metrics };
}

describe('the user of a request', () => {
  it('is determined by the first authenticator that accepts the request', async () => {
    const { authenticate } = setUp([ignoring, accepting('alice'), accepting('bob')]);
    expect((await authenticate()).user.username).toBe('alice');
  });

  it('is determined by a valid credential after an invalid one', async () => {
    expect((await setUp([rejecting, accepting('bob')]).authenticate()).user.username).toBe('bob');
  });

  it('is anonymous without a credential, and never after an invalid one', async () => {
    expect((await setUp([ignoring, anonymous]).authenticate()).user).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
    await expect(setUp([rejecting, anonymous]).authenticate()).rejects.toMatchObject({ code: 401 });
    await expect(setUp([ignoring]).authenticate()).rejects.toMatchObject({ code: 401 });
  });

  it('is rejected without a reason if the credentials are invalid', async () => {
    await expect(setUp([rejecting]).authenticate()).rejects.toThrow(/^Unauthorized$/);
  });

  it('is not anonymous for an unknown bearer token', async () => {
    const tokens = createTokenChain({
      apiAudiences: ['api'],
      authenticators: [
        createTokenFileAuthenticator([{ token: 't', user: { username: 'alice', groups: [] } }]),
      ],
    });
    const { authenticate } = setUp([createBearerAuthenticator(tokens), anonymous]);
    expect((await authenticate({ authorization: ['Bearer t'] })).user.username).toBe('alice');
    expect((await authenticate({ authorization: ['Basic dDp0'] })).user.username).toBe('system:anonymous');
    for (const bad of ['Bearer x', 'bearer T', 'BEARER t.t.t', 'Bearer t,t'])
      await expect(authenticate({ authorization: [bad] })).rejects.toMatchObject({ code: 401 });
  });
});

it('authentication removes headers that identify the user before later stages', async () => {
  const { authenticate } = setUp([ignoring, anonymous]);
  const { headers } = await authenticate({
    authorization: ['Basic x'],
    'x-remote-user': ['root'],
    'x-remote-group': ['system:masters'],
    'x-remote-extra-a': ['b'],
    'x-remote-uid': ['0'],
    'x-who': ['root'],
    accept: ['*/*'],
    'impersonate-user': ['bob'],
  });
  expect(headers).toEqual(['accept', 'impersonate-user']);
});

it('authentication adds the annotations of a credential to the audit event', async () => {
  const noting: Authenticator = {
    name: 'noting',
    authenticate: async () => ({ user: { username: 'a', groups: [] }, annotations: { stale: 'yes' } }),
  };
  expect((await setUp([noting]).authenticate()).annotations).toEqual({ stale: 'yes' });
});

it('authentication counts attempts by result, and users in few groups', async () => {
  const users = [
    'admin',
    'client',
    'kube_proxy',
    'kubelet',
    'system:serviceaccount:kube-system:default',
    'a@b.c',
    'x',
  ];
  const answers = [...users];
  const { authenticate, metrics } = setUp([
    named('each', async () => {
      const next = answers.shift();
      if (next === undefined) throw rejected('bad');
      return next;
    }),
  ]);
  for (const _user of users) await authenticate();
  await authenticate().catch(() => undefined);
  const { text } = await metrics.expose();
  expect(text).toContain('authentication_attempts{result="success"} 7');
  expect(text).toContain('authentication_attempts{result="error"} 1');
  expect(text).toContain('authentication_attempts{result="failure"} 0');
  expect(text).toContain('authentication_duration_seconds_count{result="success"} 7');
  const counted = [...text.matchAll(/^authenticated_user_requests\{username="([^"]+)"\} 1$/gm)].map(
    ([, name]) => name,
  );
  expect(counted.sort()).toEqual([...users.slice(0, 5), 'email_id', 'other'].sort());
});
