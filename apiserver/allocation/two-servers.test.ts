import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtinKinds, services } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createEtcdServer, type EtcdServer } from '../../test/etcd-server.ts';
import { environment } from '../../test/real-time.ts';
import { service as program } from '../../test/services.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { deleting, refusal, writing } from '../registry/registry.fixture.ts';
import type { ResourceRegistry } from '../registry/registry.ts';
import { openEtcdStorage } from '../storage/etcd/etcd.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import type { Storage } from '../storage/storage.ts';
import { parseAddressRange } from './ranges.ts';
import { createReservations } from './reservations.ts';
import { createServiceAllocator } from './service-allocator.ts';

const scheme = createScheme(kubernetesVocabulary, builtinKinds);
const etcd = program('etcd', 'allocation by two servers on one etcd');

/** Starts one of several servers that write Services to the same store. */
async function startServer(storage: Storage, seed: number): Promise<ResourceRegistry> {
  const reservations = createReservations({
    storage,
    services: '/registry/core/services/',
    log: silentLogger,
  });
  const random = createSeededRandom(seed);
  const registry = createRegistry({
    storage: reservations.storage,
    scheme,
    environment: { ...environment, random },
    admission: [
      createServiceAllocator({
        reservations,
        // Small ranges, so that servers often choose the same values.
        ranges: {
          addresses: ['10.0.0.0/28', 'fd00::/124'].map(parseAddressRange),
          nodePorts: { first: 30_000, last: 30_019 },
        },
        random,
      }),
    ],
  });
  await registry.start();
  return registry.of(services);
}

const body = (name: string, spec: object): object => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { type: 'NodePort', selector: { a: 'b' }, ports: [{ port: 80 }], ...spec },
});

/** Returns the addresses and ports of all Services. */
async function heldOn(storage: Storage): Promise<readonly string[]> {
  const { items } = await storage.list('/registry/core/services/');
  return items
    .map(({ value }) => JSON.parse(value.toString()) as Service)
    .flatMap(({ spec }) => [
      ...(spec?.clusterIPs ?? []),
      ...(spec?.ports ?? []).map(({ nodePort }) => String(nodePort)),
    ]);
}

/**
 * Returns a spec with explicit values in every second round, so that both servers request the same values. It
 * requests one or two families, or the default.
 */
const specOf = (round: number): object => ({
  ...(round % 2 === 0 && { clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_007 }] }),
  ...(round % 4 > 1 && { ipFamilyPolicy: 'PreferDualStack' }),
});

async function expectDistinct(open: () => Promise<Storage>): Promise<void> {
  const stores = [await open(), await open()] as const;
  const servers = await Promise.all(stores.map((storage) => startServer(storage, 1)));
  const wonBy = [0, 0];
  for (let round = 0; round < 200; round++) {
    const made = await Promise.allSettled(
      [0, 1, 0, 1].map((at, place) =>
        servers[at]?.create('default', body(`s${place}`, specOf(round)), writing()),
      ),
    );
    const held = await heldOn(stores[round % 2] ?? stores[0]);
    expect(new Set(held).size).toBe(held.length);
    const winners = made.flatMap(({ status }, place) => (status === 'fulfilled' ? [place] : []));
    expect(winners).toHaveLength(round % 2 === 0 ? 1 : 4);
    for (const place of winners) {
      wonBy[place % 2] = (wonBy[place % 2] ?? 0) + 1;
      await servers[(place + 1) % 2]?.delete('default', `s${place}`, deleting(), writing());
    }
    for (const outcome of made)
      if (outcome.status === 'rejected')
        expect((await refusal(Promise.reject(outcome.reason as Error))).message).toMatch(
          /provided (IP|port) is already allocated/,
        );
  }
  expect((await stores[0].list('/registry/ranges/')).items).toEqual([]);
  expect(Math.min(...wonBy)).toBeGreaterThan(0);
  for (const storage of new Set(stores)) await storage.close();
}

describe('two servers on one store', () => {
  it('assign no address or port twice in 200 rounds, including explicit values', async () => {
    const storage = createMemoryStorage({ stamp: stampResourceVersion });
    // Delays a write by one turn of the event loop, as a disk or network would.
    const late = <T>(write: () => Promise<T>): Promise<T> =>
      new Promise<void>((resolve) => setImmediate(resolve)).then(write);
    const shared: Storage = {
      ...storage,
      put: (...write) => late(() => storage.put(...write)),
      delete: (...write) => late(() => storage.delete(...write)),
    };
    await expectDistinct(async () => shared);
  });
});

describe.skipIf(etcd.missing)('two servers on one etcd', () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await createEtcdServer(etcd.path ?? '');
    await server.start();
  });
  afterAll(() => server.close());

  it('assign no address or port twice in 200 rounds, including explicit values', async () => {
    await expectDistinct(() =>
      openEtcdStorage({
        ...environment,
        endpoints: [server.url],
        prefix: '/store',
        stamp: stampResourceVersion,
      }),
    );
  }, 60_000);
});
