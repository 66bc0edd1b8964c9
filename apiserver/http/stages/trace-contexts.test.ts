import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { createTraceContexts } from './trace-contexts.ts';

const HEADER = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const MAPS = '/api/v1/namespaces/a/configmaps';

async function startServer() {
  const contexts = createTraceContexts();
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'test', authenticate: () => Promise.resolve({ user: { username: 'admin', groups: [] } }) },
    ],
    authorizer: { name: 'test', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
    stages: [contexts.stage],
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  /** Sends a request and returns the resource version in the response. */
  const send = async (method: string, url: string, body?: object, header = HEADER): Promise<string> => {
    const response = await caller.request(method, url, {
      headers: { 'content-type': ['application/json'], ...(header === '' ? {} : { traceparent: [header] }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return JSON.parse(await response.text()).metadata?.resourceVersion ?? '';
  };
  return { contexts, send };
}

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('createTraceContexts', () => {
  it('remembers the header of each write by the version that it wrote, and stores it in no object', async () => {
    const { contexts, send } = await startServer();
    const create = await send('POST', MAPS, map('a'));
    const update = await send('PUT', `${MAPS}/a`, { ...map('a'), data: { a: 'b' } });
    expect(create).not.toBe(update);
    expect(contexts.of([create, update, '999'])).toEqual({ [create]: HEADER, [update]: HEADER });
  });

  it.each([
    ['', 'no header'],
    ['garbage', 'an invalid header'],
    [`${HEADER}${'0'.repeat(9_000)}`, 'a long header'],
  ])('remembers nothing of a write with %.20j: %s', async (header) => {
    const { contexts, send } = await startServer();
    const version = await send('POST', MAPS, map('a'), header);
    expect(version).not.toBe('');
    expect(contexts.of([version])).toEqual({});
  });

  it('remembers nothing of a read, a dry run or a rejected write', async () => {
    const { contexts, send } = await startServer();
    const version = await send('POST', MAPS, map('a'), '');
    await send('GET', `${MAPS}/a`);
    const dry = await send('PUT', `${MAPS}/a?dryRun=All`, { ...map('a'), data: { a: 'b' } });
    await send('POST', MAPS, map('a'));
    expect(contexts.of([version, dry])).toEqual({});
  });

  it('forgets the oldest writes beyond its bound', async () => {
    const { stage, of } = createTraceContexts();
    const { contextOf } = await import('./context.fixture.ts');
    const http = { method: 'POST', url: MAPS, headers: { traceparent: [HEADER] } };
    for (let version = 1; version <= 20_001; version++)
      await stage.run(contextOf(http as never), () => ({
        status: 201,
        headers: {},
        body: Buffer.from(JSON.stringify({ metadata: { resourceVersion: String(version) } })),
      }));
    expect(of(['1', '2', '20001'])).toEqual({ '2': HEADER, '20001': HEADER });
  });
});
