import { describe, expect, it } from 'vitest';
import { overHttp2, sessionWith, statusesOf } from '../listening.ts';
import { IN_N, listener, over1, refusedHead, SECRET, session, attackNewCluster } from './attacked-cluster.ts';

attackNewCluster();

const TRICKS = [
  '/api/v1/namespaces/n/secrets/s',
  '//api/v1/namespaces/n/secrets/s',
  '///api///v1/namespaces/n/secrets/s',
  '/api//v1/namespaces/n/secrets/s',
  '/api/v1//namespaces/n/secrets/s',
  '/api/v1/namespaces/n//secrets/s',
  '/api/v1/namespaces/n/secrets//s',
  '/api/v1/namespaces/n/secrets/s/',
  '/api/v1/namespaces/n/configmaps/../secrets/s',
  '/api/v1/namespaces/n/configmaps/c/../../secrets/s',
  '/api/v1/namespaces/n/configmaps/%2e%2e/secrets/s',
  '/api/v1/namespaces/n/configmaps/..%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps%2f..%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps/c%2f..%2f..%2fsecrets%2fs',
  '/api/v1/namespaces/n/secrets%2fs',
  '/api/v1/namespaces/n/secrets%252fs',
  '/api/v1/namespaces/n%2fsecrets/s',
  '/api/v1/namespaces/n%2fsecrets%2fs',
  '/api%2fv1%2fnamespaces%2fn%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps/c%00/../../secrets/s',
  '/api/v1/namespaces/n/secrets/s%00',
  '/api/v1/namespaces/n%00/secrets/s',
  '/api/v1/namespaces/n/secrets/s%ff',
  '/api/v1/namespaces/n/secrets/%',
  '/api/v1/namespaces/n/configmaps/c;/secrets/s',
  '/api/v1/namespaces/n/configmaps/c/secrets/s',
  '/%61pi/v1/namespaces/n/%73ecrets/s',
  '/api/v1/namespaces/./n/secrets/s',
  '/API/v1/namespaces/n/Secrets/s',
  '/api/v1/watch/namespaces/n/secrets/s',
  '/api/v1/proxy/namespaces/n/secrets/s',
  '/api/v1/namespaces/n/secrets?fieldSelector=metadata.name%3Dc',
  '/healthz/../api/v1/namespaces/n/secrets/s',
  '/openid/v1/..%2f..%2fapi/v1/namespaces/n/secrets/s',
  '/metrics//../api/v1/namespaces/n/secrets',
  'https://elsewhere/api/v1/namespaces/n/secrets/s',
  '/api/v1/namespaces/n/secrets/s#fragment',
  '/api/v1/namespaces/n/secrets/s?/../configmaps/c',
];

describe('path spellings', () => {
  it.each(['alice', 'prober'])('never let %s read a Secret', async (who) => {
    for (const path of TRICKS) {
      for (const text of [
        await over1(path, who),
        JSON.stringify(await overHttp2(session, { ':path': path, authorization: `Bearer ${who}-token` })),
      ])
        expect([path, text.includes(SECRET)]).toEqual([path, false]);
      const text = await over1(path, who);
      const [status = 0] = statusesOf(text);
      // A slash encoded as %2f separates no segments, so such a path leads at most to the list of resources.
      const harmless =
        status === 200 ? text.includes('"kind":"APIResourceList"') : status >= 300 && status < 500;
      expect([path, status, harmless]).toEqual([path, status, true]);
    }
  });

  it('get a response at any length', async () => {
    const long = (length: number) => `/api/v1/namespaces/n/configmaps/${'c'.repeat(length)}`;
    expect(statusesOf(await over1(long(60_000), 'alice'))).toEqual([404]);
    expect(refusedHead(await over1(long(100_000), 'alice'))).toBe(true);
    expect(statusesOf(await over1(`/${'a/'.repeat(30_000)}`, 'prober'))).toEqual([404]);
    const other = await sessionWith(listener);
    const { status } = await overHttp2(other, {
      ':path': long(100_000),
      authorization: 'Bearer alice-token',
    });
    expect(status === 0 || status === 431).toBe(true);
    other.destroy();
    expect(statusesOf(await over1(`${IN_N}/configmaps/c`, 'alice'))).toEqual([200]);
  });
});
