import { describe, expect, it } from 'vitest';
import { createApiServer } from '../server.ts';
import { configMaps, namespaces } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createBootstrapWriter } from '../bootstrap/bootstrap-writer.ts';
import { createMemoryStorage } from './memory.ts';
import { patiently } from './patience.ts';
import { stampResourceVersion } from './stamp.ts';
import { type Storage, StorageError, type StorageErrorCode } from './storage.ts';

const log = silentLogger;
const failing =
  (code: StorageErrorCode, times: number) =>
  (calls: { count: number }): Promise<string> =>
    ++calls.count > times ? Promise.resolve('there') : Promise.reject(new StorageError(code, 'unavailable'));

describe('waiting for a store', () => {
  const called = async (call: (calls: { count: number }) => Promise<string>, patienceMs?: number) => {
    const clock = createSimulatedClock();
    const calls = { count: 0 };
    const outcome = patiently({ clock, log, patienceMs }, () => call(calls)).catch(
      (thrown: StorageError) => thrown.code,
    );
    await clock.advance(5 * 60_000);
    return [await outcome, calls.count];
  };

  it.each([
    [
      'retries every second while the store is unavailable',
      failing('ERR_STORAGE_UNAVAILABLE', 50),
      ['there', 51],
    ],
    ['gives up after a minute', failing('ERR_STORAGE_UNAVAILABLE', 90), ['ERR_STORAGE_UNAVAILABLE', 61]],
    [
      'throws at once an error that waiting cannot fix',
      failing('ERR_BROKEN_VALUE', 1),
      ['ERR_BROKEN_VALUE', 1],
    ],
  ])('%s', async (_what, call, outcome) => {
    expect(await called(call)).toEqual(outcome);
  });

  it('fails at once if `patienceMs` is 0', async () => {
    expect(await called(failing('ERR_STORAGE_UNAVAILABLE', 1), 0)).toEqual(['ERR_STORAGE_UNAVAILABLE', 1]);
  });
});

/** Creates a store that becomes unavailable at call number `from`, until `bringBack` is called. */
function createUnavailableStorage(from: number) {
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const names = new Set<PropertyKey>(['revision', 'get', 'list', 'put', 'watch']);
  let calls = 0;
  let isBack = false;
  const away = new Proxy(storage, {
    get(target, name) {
      const method = target[name as keyof Storage].bind(target) as (...given: unknown[]) => unknown;
      return (...given: unknown[]) =>
        names.has(name) && !isBack && ++calls > from
          ? Promise.reject(new StorageError('ERR_STORAGE_UNAVAILABLE', 'the store is unavailable'))
          : method(...given);
    },
  });
  return { away, calls: () => calls, bringBack: () => (isBack = true) };
}

describe('a server whose store becomes unavailable while it starts', () => {
  const start = (from: number) => {
    const clock = createSimulatedClock();
    const store = createUnavailableStorage(from);
    const server = createApiServer({
      scheme: createScheme(orchVocabulary, [configMaps, namespaces] as unknown as readonly AnyKind[]),
      environment: { clock, random: createSeededRandom(1), log },
      storage: store.away,
      authenticators: [],
      authorizer: { name: 'none', authorize: async () => ({ verdict: 'deny', reason: '' }) },
      bootstrap: [
        async (registry) => {
          const writer = createBootstrapWriter(registry, new AbortController().signal);
          await writer.ensure(namespaces, { metadata: { name: 'one' } });
          await writer.ensure(namespaces, { metadata: { name: 'two' } });
        },
      ],
    });
    return { ...store, server, clock };
  };

  it('continues the start, whichever call fails first', async () => {
    const { server, calls } = start(Infinity);
    await server.start();
    await server.stop();
    expect(calls()).toBeGreaterThan(5);
    for (let from = 0; from < calls(); from += 1) {
      const { server: other, clock, bringBack } = start(from);
      const started = other.start();
      started.catch(() => {});
      await clock.advance(30_000);
      expect(other.ready).toBe(false);
      bringBack();
      await clock.advance(30_000);
      await started;
      expect(other.registry.count(namespaces)).toBe(2);
      await other.stop();
    }
  });

  it('fails once the store has been unavailable for a minute', async () => {
    const { server, clock } = start(3);
    const started = server.start();
    const failure = expect(started).rejects.toMatchObject({ code: 'ERR_STORAGE_UNAVAILABLE' });
    await clock.advance(2 * 60_000);
    await failure;
    await server.stop();
  });
});
