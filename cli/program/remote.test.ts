import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createRemoteReview } from '../../apiserver/outbound/remote-review.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';
import { readRemote } from './remote.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remote-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = createSimulatedClock();
const remoteAt = (server: string) => {
  const path = join(folder, 'remote.conf');
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user: { token: 'known' } }],
    }),
  );
  return readRemote(path, { vocabulary: kubernetesVocabulary, clock });
};

describe('readRemote', () => {
  it('accepts a plain http address', async () => {
    const asked: unknown[] = [];
    const server = createServer(({ method, url, headers: { authorization } }, response) => {
      asked.push([method, url, authorization]);
      response.end('{"kind":"SubjectAccessReview"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const outbound = createUndiciOutbound();
    try {
      const { port } = server.address() as AddressInfo;
      const remote = await remoteAt(`http://127.0.0.1:${port}/ask?who=1`);
      const post = createRemoteReview({ outbound, remote, clock, random: createSeededRandom(1) });
      expect(await post({})).toEqual({ kind: 'SubjectAccessReview' });
      expect(asked).toEqual([['POST', '/ask?who=1', 'Bearer known']]);
    } finally {
      await outbound.close();
      server.close();
    }
  });

  it.each(['ftp://127.0.0.1', 'https://me:pass@example', '127.0.0.1:1'])(
    'rejects the address %s',
    async (server) => {
      await expect(remoteAt(server)).rejects.toThrow(
        'remote.conf: server must be an address with https or http and without a user',
      );
    },
  );
});
