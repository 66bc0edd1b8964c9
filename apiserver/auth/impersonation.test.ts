import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import type { Attributes, RequestContext } from '../request.ts';
import { createImpersonation, readImpersonation } from './impersonation.ts';
import { requestWith } from './request.fixture.ts';

async function pass(
  headers: Record<string, string[]>,
  allow: (requested: Attributes) => boolean = () => true,
) {
  const requested: Attributes[] = [];
  const stage = createImpersonation({
    vocabulary: v,
    authorizer: {
      name: 'test',
      authorize: async (attributes) => {
        requested.push(attributes);
        return { verdict: allow(attributes) ? 'allow' : 'no-opinion', reason: '' };
      },
    },
  });
  const context = {
    http: requestWith(headers),
    user: { username: 'alice', groups: ['devs'] },
  } as unknown as RequestContext;
  const response = await stage.run(context, async () => ({
    status: 200,
    headers: {},
    body: new Uint8Array(),
  }));
  return { response, user: context.user, requested, headers: context.http.headers };
}

describe('impersonation', () => {
  it('keeps the user without impersonation headers', async () => {
    const { user, requested } = await pass({});
    expect({ user, requested }).toEqual({ user: { username: 'alice', groups: ['devs'] }, requested: [] });
  });

  it('reads each header line as one group, including its commas', async () => {
    const { user, requested } = await pass({
      'impersonate-user': ['bob'],
      'impersonate-group': ['g1', 'g2,system:masters'],
    });
    expect(user).toEqual({ username: 'bob', groups: ['g1', 'g2,system:masters', 'system:authenticated'] });
    expect(requested.map(({ resource, name }) => [resource, name])).toEqual([
      ['users', 'bob'],
      ['groups', 'g1'],
      ['groups', 'g2,system:masters'],
    ]);
  });

  it('authorizes the uid and each extra value separately', async () => {
    const { user, requested } = await pass({
      'impersonate-user': ['bob'],
      'impersonate-uid': ['7'],
      'impersonate-extra-acme.com%2fscope': ['a', 'b'],
    });
    expect(user).toMatchObject({ uid: '7', extra: { 'acme.com/scope': ['a', 'b'] } });
    expect(
      requested
        .slice(1)
        .map(({ group, resource, subresource, name }) => [group, resource, subresource, name]),
    ).toEqual([
      ['authentication.k8s.io', 'userextras', 'acme.com/scope', 'a'],
      ['authentication.k8s.io', 'userextras', 'acme.com/scope', 'b'],
      ['authentication.k8s.io', 'uids', '', '7'],
    ]);
  });

  it('authorizes a service account as a service account and adds its groups', async () => {
    const { user, requested } = await pass({ 'impersonate-user': ['system:serviceaccount:ns:robot'] });
    expect(requested[0]).toMatchObject({ resource: 'serviceaccounts', namespace: 'ns', name: 'robot' });
    expect(user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:ns',
      'system:authenticated',
    ]);
  });

  it('never adds the authenticated group to the anonymous user', async () => {
    const { user } = await pass({ 'impersonate-user': ['system:anonymous'] });
    expect(user.groups).toEqual(['system:unauthenticated']);
  });

  it('adds the unauthenticated group to the anonymous user, whatever the groups', async () => {
    const { user } = await pass({
      'impersonate-user': ['system:anonymous'],
      'impersonate-group': ['system:authenticated'],
    });
    expect(user.groups).toEqual(['system:authenticated', 'system:unauthenticated']);
  });

  it('authorizes only the original user, and removes the headers for later stages', async () => {
    const { requested, headers } = await pass({
      'impersonate-user': ['bob', 'carol'],
      'impersonate-group': ['g'],
      'impersonate-uid': ['1'],
      'impersonate-extra-k': ['v'],
      accept: ['*/*'],
    });
    expect(requested.every(({ user }) => user.username === 'alice')).toBe(true);
    expect(requested.map(({ name }) => name)).toEqual(['bob', 'g', 'v', '1']);
    expect(Object.keys(headers)).toEqual(['accept']);
  });

  it('recognizes a service account only if its name is complete', async () => {
    for (const name of [
      'system:serviceaccount:ns',
      'system:serviceaccount:a:b:c',
      'system:serviceaccount:A:b',
    ]) {
      const { requested } = await pass({ 'impersonate-user': [name] });
      expect(requested.map(({ resource, name: wanted }) => [resource, wanted])).toEqual([['users', name]]);
    }
  });

  it('is rejected completely if one part is not allowed', async () => {
    const headers = { 'impersonate-user': ['bob'], 'impersonate-group': ['system:masters'] };
    await expect(pass(headers, ({ resource }) => resource === 'users')).rejects.toThrow(
      'groups "system:masters" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
  });

  it('requires a user name for groups, uid and extra values', async () => {
    const { response, requested, user } = await pass({
      'impersonate-group': ['g', 'a<b'],
      'impersonate-uid': ['7'],
      'impersonate-extra-acme.com%2fscope': ['x'],
    });
    expect(response).toMatchObject({ status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(String(response.body)).toBe(
      'Internal Server Error: "/": requested [{Group  g    } {Group  a&lt;b    } ' +
        '{UserExtra  x  authentication.k8s.io/v1  acme.com/scope} {UID  7  authentication.k8s.io/v1  }] ' +
        'without impersonating a user\n',
    );
    expect({ requested, user: user.username }).toEqual({ requested: [], user: 'alice' });
  });

  it('keeps every extra key, undecoded if it cannot be decoded', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const encoded = encodeURIComponent(key).toLowerCase();
        const found = readImpersonation({
          'impersonate-user': ['x'],
          [`impersonate-extra-${encoded}`]: ['v'],
        });
        expect(found?.extra).toEqual([[decodeURIComponent(encoded), ['v']]]);
      }),
    );
    const raw = readImpersonation({ 'impersonate-user': ['x'], 'impersonate-extra-%zz': ['v'] });
    expect(raw?.extra).toEqual([['%zz', ['v']]]);
  });
});
