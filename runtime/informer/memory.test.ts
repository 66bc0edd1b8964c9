import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { builtinKinds, secrets } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import { createClient } from '../client/rest-client.ts';
import type { InformerScope } from './informer.ts';
import { createInformers } from './informers.ts';
import { labelIndex, ownerIndex } from './indexes.ts';

/** A tenth of the size in the test's name, to keep the test short; memory grows linearly with the number. */
const COUNT = 10_000;
const PAGE = 500;

/** Returns a token Secret of about 1 KiB, a fifth of which is `managedFields`. */
const secret = (at: number): object => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name: `token-${at}`,
    namespace: `team-${at % 100}`,
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    resourceVersion: String(at),
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: `app-${at % 50}`, tier: 'back' },
    annotations: { 'example.com/account': `account-${at}` },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ServiceAccount', name: `a-${at}`, uid: `owner-${at}` }],
    managedFields: [
      { manager: 'm', operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z', fieldsType: 'F' },
    ],
  },
  type: 'Opaque',
  data: { token: String(at).padStart(400, 'x'), 'ca.crt': String(at).padStart(200, 'y') },
});

/** Server that generates pages of Secrets for each list and sends no watch events. */
const handler: HttpHandler = (request) => {
  const query = new URL(request.url, 'http://server').searchParams;
  if (query.has('watch')) return Promise.resolve({ status: 200, headers: {}, body: () => {} });
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(COUNT, from + PAGE);
  const items = Array.from({ length: to - from }, (_, at) => secret(from + at));
  const metadata = { resourceVersion: '1', ...(to < COUNT ? { continue: String(to) } : {}) };
  const body = new TextEncoder().encode(JSON.stringify({ metadata, items }));
  return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
};

const collect = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};
const heldBytes = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

async function fill(scope: InformerScope) {
  const clock = createSimulatedClock();
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const scheme = createScheme(orchVocabulary, builtinKinds);
  const client = createClient({
    scheme,
    transport: createInMemoryTransport({ handler }),
    clock,
    log: silentLogger,
    userAgent: 'test',
  });
  const informers = createInformers({ ...environment, client });
  const informer = informers.of(secrets, scope);
  informer.index(...ownerIndex);
  informer.index(...labelIndex('app'));
  const before = heldBytes();
  await informers.start();
  await informer.ready();
  const held = (heldBytes() - before) / (1 << 20);
  const found = informer.store.byIndex('label app', 'app-7').length;
  const { size } = informer.store;
  await informers.stop();
  return { held, found, size };
}

describe('a cache of 100,000 Secrets with its indexes', () => {
  it('needs at most 400 MB', async () => {
    const { held, found, size } = await fill({});
    expect({ found, size }).toEqual({ found: COUNT / 50, size: COUNT });
    expect(held * 10).toBeLessThan(400);
  });

  it('needs at most 250 MB if it holds metadata only', async () => {
    const { held, size } = await fill({ metadataOnly: true });
    expect(size).toBe(COUNT);
    expect(held * 10).toBeLessThan(250);
  });
});
