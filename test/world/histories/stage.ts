import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps } from '../../../api/groups/core-v1.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { ApiError } from '../../../api/status/api-error.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { listParameters, watchParameters } from '../../../apiserver/http/request/options.ts';
import { parseRequestInfo } from '../../../apiserver/http/request/request-info.ts';
import { createRegistry } from '../../../apiserver/registry/create-registry.ts';
import type { Registry, ResourceRegistry, WriteContext } from '../../../apiserver/registry/registry.ts';
import { openLmdbStorage } from '../../../apiserver/storage/lmdb.ts';
import { createMemoryStorage } from '../../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../../apiserver/storage/stamp.ts';
import type { Change, Storage, Subscription } from '../../../apiserver/storage/storage.ts';
import { type SimulatedClock, createSimulatedClock } from '../../../base/clock/simulated.ts';
import type { HttpBody, HttpHandler, HttpResponse } from '../../../base/http/message.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';

export interface StageOptions {
  /** Store of the server. `memory` survives a restart of the server, `lmdb` is closed and opened again. */
  readonly store: 'memory' | 'lmdb';
  readonly windowSize: number;
  readonly historyLimit: number;
}

export const scheme = createScheme(orchVocabulary, [configMaps]);

/** One kind in one store under virtual time, with restarts and a record of every change. */
export interface Stage {
  readonly clock: SimulatedClock;
  readonly truth: readonly Change[];
  /** The oldest version after which a watch can start, according to the sizes of history and window. */
  readonly floor: number;
  readonly handler: HttpHandler;
  maps(): ResourceRegistry;
  compact(back: number): Promise<void>;
  restart(): Promise<void>;
  end(): Promise<void>;
}

export const writer: WriteContext = {
  user: { username: 'writer', groups: [] },
  dryRun: false,
  fieldManager: 'histories',
  fieldValidation: 'Ignore',
  warn: () => {},
  signal: new AbortController().signal,
};

export async function createStage(options: StageOptions): Promise<Stage> {
  const { windowSize, historyLimit } = options;
  const clock = createSimulatedClock();
  const path = options.store === 'lmdb' ? await mkdtemp(join(tmpdir(), 'histories-')) : '';
  const limits = { stamp: stampResourceVersion, historyLimit };
  const memory = createMemoryStorage(limits);
  const truth: Change[] = [];
  let storage: Storage = memory;
  let registry: Registry;
  let startFloor = 0;
  let recording: Subscription | undefined;

  const start = async (): Promise<void> => {
    if (path !== '') storage = await openLmdbStorage({ ...limits, path });
    startFloor = storage.compacted();
    const last = truth.at(-1)?.revision ?? 0;
    const observer = { onChange: (change: Change) => void truth.push(change), onEnd: () => {} };
    recording = await storage.watch('/', last, observer);
    const environment = { clock, random: createSeededRandom(1), log: silentLogger };
    const started = createRegistry({ storage, scheme, environment, watchWindow: { windowSize } });
    await started.start();
    // Waits until the server has read its state. Before that, the server rejects requests.
    registry = started;
  };
  const stop = async (): Promise<void> => {
    await registry.stop();
    recording?.cancel();
    if (path !== '') await storage.close();
  };
  await start();
  return {
    clock,
    truth,
    get floor() {
      return Math.max(startFloor, truth.at(-windowSize - 1)?.revision ?? 0);
    },
    handler: handlerOf(() => registry.of(configMaps)),
    maps: () => registry.of(configMaps),
    compact: async (back) => storage.compact(Math.max(0, (await storage.revision()) - back)),
    async restart() {
      await stop();
      await start();
    },
    async end() {
      await stop();
      await storage.close();
      if (path !== '') await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a handler for lists and watches over HTTP, without authentication and other stages, for the real
 * client.
 */
function handlerOf(maps: () => ResourceRegistry): HttpHandler {
  const json = (status: number, body: HttpBody): HttpResponse => ({
    status,
    headers: { 'content-type': 'application/json' },
    body,
  });
  return async ({ method, url, signal }) => {
    const { query, namespace, verb } = parseRequestInfo(method, url);
    try {
      if (verb !== 'watch') return json(200, (await maps().list(listParameters(query, namespace))).chunks);
      const selected = (fieldSelector: string): string => fieldSelector;
      return json(200, await maps().watch(watchParameters(query, { namespace, signal, selected })));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      return json(thrown.status.code ?? 500, Buffer.from(JSON.stringify(thrown.status)));
    }
  };
}
