import { builtinKinds } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Soon } from '../../base/async/soon.ts';
import { type SimulatedClock, createSimulatedClock } from '../../base/clock/simulated.ts';
import type { BodySink } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { AdmissionPlugin } from '../request.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import type { Storage } from '../storage/storage.ts';
import type { RingLimits } from '../watch/ring.ts';
import { createRegistry } from './create-registry.ts';
import type {
  DeleteParameters,
  ListParameters,
  Registry,
  ResourceRegistry,
  WatchParameters,
  WriteContext,
} from './registry.ts';

/** Registry of all built-in kinds with a memory store and a simulated clock. For tests. */
export interface Fixture {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly clock: SimulatedClock;
  of(kind: AnyKind): ResourceRegistry;
}

export async function startFixture(
  options: {
    admission?: readonly AdmissionPlugin[];
    watchWindow?: RingLimits;
    shortestWatchMs?: number;
    wrap?: (storage: Storage) => Storage;
  } = {},
): Promise<Fixture> {
  const clock = createSimulatedClock();
  const memory = createMemoryStorage({ stamp: stampResourceVersion });
  const storage = options.wrap?.(memory) ?? memory;
  const registry = createRegistry({
    storage,
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    ...(options.admission ? { admission: options.admission } : {}),
    ...(options.watchWindow ? { watchWindow: options.watchWindow } : {}),
    ...(options.shortestWatchMs === undefined ? {} : { shortestWatchMs: options.shortestWatchMs }),
  });
  await registry.start();
  return { registry, storage, clock, of: (kind) => registry.of(kind) };
}

export const writing = (changes: Partial<WriteContext> = {}): WriteContext => ({
  user: { username: 'tester', groups: [] },
  dryRun: false,
  fieldManager: 'test',
  fieldValidation: 'Ignore',
  warn: () => {},
  signal: new AbortController().signal,
  force: false,
  ...changes,
});

export const listing = (changes: Partial<ListParameters> = {}): ListParameters => ({
  namespace: 'default',
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continueToken: '',
  ...changes,
});

export const deleting = (changes: Partial<DeleteParameters> = {}): DeleteParameters => ({
  preconditions: {},
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  ...changes,
});

export const watching = (changes: Partial<WatchParameters> = {}): WatchParameters => ({
  namespace: 'default',
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  allowBookmarks: false,
  sendInitialEvents: undefined,
  timeoutSeconds: 0,
  signal: new AbortController().signal,
  ...changes,
});

/** Returns the `ApiError` with which `work` rejects; throws if it resolves. */
export async function refusal(work: Soon<unknown>): Promise<ApiError> {
  const outcome = await Promise.resolve(work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (outcome instanceof ApiError) return outcome;
  throw new Error(`expected an ApiError, received ${String(outcome)}`);
}

export const configMap = (
  name: string,
  data: Record<string, string> = {},
  metadata: object = {},
): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  data,
});

export const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export interface Frame {
  readonly type: string;
  readonly object: {
    readonly kind?: string;
    readonly code?: number;
    readonly message?: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: object;
    };
    readonly data?: Record<string, string>;
  };
}

/** Peer of a watch that records the stream and can stop reading. */
export interface Peer extends BodySink {
  readonly chunks: Uint8Array[];
  frames(): Frame[];
  /** Makes every write return false until `read` is called. */
  stall(): void;
  read(): void;
  leave(): void;
}

export function createPeer(): Peer {
  const chunks: Uint8Array[] = [];
  let stalled = false;
  let closed = false;
  let drains: (() => void)[] = [];
  const closes: (() => void)[] = [];
  const close = (): void => {
    if (closed) return;
    closed = true;
    for (const run of closes) run();
  };
  return {
    chunks,
    frames: () =>
      Buffer.concat(chunks)
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Frame),
    write(chunk) {
      if (closed) throw new Error('written after the end');
      chunks.push(chunk);
      return !stalled;
    },
    onDrain: (run) => void drains.push(run),
    onClose: (run) => void closes.push(run),
    end: close,
    get closed() {
      return closed;
    },
    stall() {
      stalled = true;
    },
    read() {
      stalled = false;
      const waiting = drains;
      drains = [];
      for (const run of waiting) run();
    },
    leave: close,
  };
}
