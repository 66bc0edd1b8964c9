import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { TokenAuthenticator } from '../request.ts';
import { createCredentialRemoval } from './request-header.ts';
import { requestWith } from './request.fixture.ts';
import { createWebSocketTokenAuthenticator } from './web-socket-token.ts';

const PREFIX = 'base64url.bearer.authorization.k8s.io.';
const encoded = (text: string | Uint8Array): string => `${PREFIX}${Buffer.from(text).toString('base64url')}`;
const tokens: TokenAuthenticator = {
  name: 'table',
  authenticateToken: async (token) =>
    token === 'tökén' ? { user: { username: 'alice', groups: [] } } : undefined,
};
const UPGRADE = { upgrade: ['WebSocket'], connection: ['keep-alive, Upgrade'] };

const ask = (protocols: readonly string[], headers: Readonly<Record<string, readonly string[]>> = UPGRADE) =>
  createWebSocketTokenAuthenticator(tokens, kubernetesVocabulary).authenticate(
    requestWith({ ...headers, 'sec-websocket-protocol': protocols }),
  );
const named = async (...given: Parameters<typeof ask>) => (await ask(...given))?.user.username;

describe('WebSocket subprotocol with a token', () => {
  it('authenticates the user, in one header or several', async () => {
    expect(await named([`${encoded('tökén')}, base64.binary.k8s.io`])).toBe('alice');
    expect(await named(['v4.channel.k8s.io', encoded('tökén')])).toBe('alice');
  });

  it('is ignored in other requests, and with another prefix', async () => {
    expect(await named([encoded('tökén'), 'x'], {})).toBeUndefined();
    expect(await named([encoded('tökén'), 'x'], { ...UPGRADE, connection: ['close'] })).toBeUndefined();
    expect(await named(['x'])).toBeUndefined();
    expect(await named([`${PREFIX}`, 'x'])).toBeUndefined();
    const orch = createWebSocketTokenAuthenticator(tokens, orchVocabulary);
    const request = requestWith({ ...UPGRADE, 'sec-websocket-protocol': [`${encoded('tökén')},x`] });
    expect(await orch.authenticate(request)).toBeUndefined();
  });

  it.each([
    ['that no authenticator knows', [encoded('other'), 'x']],
    ['next to a second token', [encoded('tökén'), encoded('tökén'), 'x']],
    ['without a subprotocol to select', [encoded('tökén')]],
    ['that is not base64url', [`${PREFIX}a+b/`, 'x']],
    ['that is truncated', [`${PREFIX}a`, 'x']],
    ['that is not UTF-8', [encoded(Uint8Array.of(0xff, 0xfe)), 'x']],
  ])('is rejected %s', async (_what, protocols) => {
    await expect(ask(protocols)).rejects.toMatchObject({ code: 401 });
  });

  it('is removed from the headers that later stages see', () => {
    const removal = createCredentialRemoval();
    const before = { a: ['b'], 'sec-websocket-protocol': [`x, ${encoded('t')}`, 'y'] };
    expect(removal(before)).toEqual({ a: ['b'], 'sec-websocket-protocol': ['x, y'] });
    expect(removal({ a: ['b'], 'sec-websocket-protocol': [encoded('t')] })).toEqual({ a: ['b'] });
    const other = { 'sec-websocket-protocol': ['x,y'] };
    expect(removal(other)).toBe(other);
  });
});
