import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { assembleServer, createStorage, nothing } from './api-server.ts';
import { credentialsOf } from './credentials.ts';

const scheme = createScheme(orchVocabulary, builtinKinds);

async function keysAfterStart(bootstrapped: boolean): Promise<readonly string[]> {
  const storage = createStorage(nothing);
  const server = assembleServer({
    scheme,
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage,
    credentials: credentialsOf(orchVocabulary),
    serves: () => true,
    bootstrapped,
  });
  await server.start();
  const { items } = await storage.list('/registry/');
  await server.stop();
  return items.map(({ key }) => key);
}

describe('a server of a simulated world', () => {
  it('creates the bootstrap objects of a new cluster', async () => {
    expect(await keysAfterStart(false)).toContain('/registry/core/namespaces/default');
  });

  it('creates no objects in a cluster that is already bootstrapped', async () => {
    expect(await keysAfterStart(true)).toEqual([]);
  });
});
