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
const knowing = (username: string) => named(username, async () => username);
const unknowing = named('unknowing', async () => undefined);
const refusing = named('refusing', () => Promise.reject(rejected('bad')));

function world(authenticators: readonly Authenticator[]) {
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
  const pass = async (headers: Record<string, string[]> = {}) => {
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
  return { pass, metrics };
}

describe('who asks', () => {
  it('is whom the first authenticator knows', async () => {
    const { pass } = world([unknowing, knowing('alice'), knowing('bob')]);
    expect((await pass()).user.username).toBe('alice');
  });

  it('may still be told by a good credential behind a bad one', async () => {
    expect((await world([refusing, knowing('bob')]).pass()).user.username).toBe('bob');
  });

  it('is nobody without any credential, and never after a bad one', async () => {
    expect((await world([unknowing, anonymous]).pass()).user).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
    await expect(world([refusing, anonymous]).pass()).rejects.toMatchObject({ code: 401 });
    await expect(world([unknowing]).pass()).rejects.toMatchObject({ code: 401 });
  });

  it('is refused without a word of the reason', async () => {
    await expect(world([refusing]).pass()).rejects.toThrow(/^Unauthorized$/);
  });

  it('is not anonymous for a bearer token that nobody knows', async () => {
    const tokens = createTokenChain({
      apiAudiences: ['api'],
      authenticators: [
        createTokenFileAuthenticator([{ token: 't', user: { username: 'alice', groups: [] } }]),
      ],
    });
    const { pass } = world([createBearerAuthenticator(tokens), anonymous]);
    expect((await pass({ authorization: ['Bearer t'] })).user.username).toBe('alice');
    expect((await pass({ authorization: ['Basic dDp0'] })).user.username).toBe('system:anonymous');
    for (const bad of ['Bearer x', 'bearer T', 'BEARER t.t.t', 'Bearer t,t'])
      await expect(pass({ authorization: [bad] })).rejects.toMatchObject({ code: 401 });
  });
});

it('later stages see no header that says who asks', async () => {
  const { pass } = world([unknowing, anonymous]);
  const { headers } = await pass({
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

it('what is notable of a credential is told to the audit', async () => {
  const noting: Authenticator = {
    name: 'noting',
    authenticate: async () => ({ user: { username: 'a', groups: [] }, annotations: { stale: 'yes' } }),
  };
  expect((await world([noting]).pass()).annotations).toEqual({ stale: 'yes' });
});

it('attempts are counted by their end, users in few groups', async () => {
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
  const { pass, metrics } = world([
    named('each', async () => {
      const next = answers.shift();
      if (next === undefined) throw rejected('bad');
      return next;
    }),
  ]);
  for (const _user of users) await pass();
  await pass().catch(() => undefined);
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
