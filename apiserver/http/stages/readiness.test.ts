import { expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { createInMemoryCaller } from '../in-memory.ts';

it('a starting server reports its health, and rejects lists instead of returning them empty', async () => {
  const user = { username: 'admin', groups: [] };
  const server = createApiServer({
    scheme: createScheme(orchVocabulary, builtinKinds),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [{ name: 'test', authenticate: () => Promise.resolve({ user }) }],
    authorizer: { name: 'test', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
  });
  const caller = createInMemoryCaller(server.handler);
  const get = (path: string) => caller.request('GET', path);
  for (const path of ['/api/v1/pods?resourceVersion=0', '/apis', '/openapi/v2']) {
    const refused = await get(path);
    expect(refused.status).toBe(503);
    expect(refused.header('retry-after')).toBe('1');
  }
  expect((await get('/readyz')).status).toBe(500);
  expect((await get('/version')).status).toBe(200);
  await server.start();
  expect((await get('/api/v1/pods?resourceVersion=0')).status).toBe(200);
  await server.stop();
});
