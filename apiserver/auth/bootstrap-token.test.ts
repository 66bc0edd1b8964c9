import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Secret } from '../../api/types/core-v1.ts';
import { orchVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createBootstrapTokenAuthenticator, parseBootstrapToken } from './bootstrap-token.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const good: Record<string, string> = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};

async function authenticate(data: Record<string, string>, over: Partial<Secret> = {}, token = TOKEN) {
  const secret: Secret = {
    metadata: { namespace: 'orch-system', name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.orch.io/token',
    data: Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
    ...over,
  };
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const authenticator = createBootstrapTokenAuthenticator({
    secrets: fixtureReader([secret]),
    vocabulary: v,
    clock,
  });
  return authenticator.authenticateToken(token, []);
}

describe('bootstrap token authenticator', () => {
  it('authenticates the user of the token ID, in the bootstrappers group and the extra groups', async () => {
    const groups = 'system:bootstrappers:workers,system:bootstrappers:a';
    expect(await authenticate({ ...good, 'auth-extra-groups': groups })).toEqual({
      user: {
        username: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:workers'],
      },
    });
  });

  it('accepts a token until its expiration', async () => {
    expect(await authenticate({ ...good, expiration: '2026-01-01T00:00:01Z' })).toBeDefined();
    expect(await authenticate({ ...good, expiration: '2026-01-01T00:00:00Z' })).toBeUndefined();
    expect(await authenticate({ ...good, expiration: 'soon' })).toBeUndefined();
  });

  it('treats a token as unknown if any field of its Secret is wrong', async () => {
    for (const wrong of [
      { 'token-secret': '0123456789abcdee' },
      { 'token-secret': '' },
      { 'token-id': 'abcdeg' },
      { 'usage-bootstrap-authentication': 'false' },
      { 'auth-extra-groups': 'system:masters' },
      { 'auth-extra-groups': 'system:bootstrappers:a,' },
    ])
      expect(await authenticate({ ...good, ...wrong })).toBeUndefined();
    expect(await authenticate(good, { type: 'Opaque' })).toBeUndefined();
    expect(await authenticate(good, {}, 'abcdeg.0123456789abcdef')).toBeUndefined();
    const going = {
      namespace: 'orch-system',
      name: 'bootstrap-token-abcdef',
      deletionTimestamp: '2026-01-01T00:00:00Z',
    };
    expect(await authenticate(good, { metadata: going })).toBeUndefined();
  });

  it('accepts only tokens of six characters, a dot and sixteen characters', () => {
    expect(parseBootstrapToken(TOKEN)).toEqual({ id: 'abcdef', secret: '0123456789abcdef' });
    for (const other of [`${TOKEN}\n`, ` ${TOKEN}`, TOKEN.toUpperCase(), TOKEN.replace('.', '')])
      expect(parseBootstrapToken(other)).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseBootstrapToken(text);
        if (parsed !== undefined) expect(`${parsed.id}.${parsed.secret}`).toBe(text);
      }),
    );
  });
});
