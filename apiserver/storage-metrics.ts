import type { Clock } from '../base/clock/index.ts';
import type { Histogram, Metrics } from '../base/metrics/index.ts';
import { UNSTRUCTURED } from './go-type.ts';
import { REQUEST_SECONDS } from './http/stages/observation.ts';
import type { Storage } from './storage/storage.ts';

/** Dependencies of `createMeasuredStorage`. */
export interface MeasuredStorageOptions {
  readonly storage: Storage;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** `type` label of keys, by key prefix. Keys with another prefix belong to custom kinds. */
  readonly types: ReadonlyMap<string, string>;
}

type Operation = 'create' | 'update' | 'delete' | 'get' | 'list';

/**
 * Wraps a store so that the duration of its calls is observed. The metric has upstream's name for every
 * store.
 */
export function createMeasuredStorage({ storage, metrics, clock, types }: MeasuredStorageOptions): Storage {
  const seconds = metrics.histogram(
    'etcd_request_duration_seconds',
    'Etcd request latency in seconds for each operation and object type.',
    ['operation', 'type'],
    REQUEST_SECONDS,
  );
  const known: Record<Operation, Map<string, Histogram>> = {
    create: new Map(),
    update: new Map(),
    delete: new Map(),
    get: new Map(),
    list: new Map(),
  };
  const histogramOf = (operation: Operation, key: string): Histogram => {
    const type = types.get(prefixOf(key)) ?? UNSTRUCTURED;
    const found = known[operation].get(type);
    if (found !== undefined) return found;
    const made = seconds.at(operation, operation === 'list' ? `${type}List` : type);
    known[operation].set(type, made);
    return made;
  };
  /** Observes the duration and returns the same promise, so that the caller waits for nothing else. */
  function measured<T>(operation: Operation, key: string, startedMs: number, given: T): T {
    // A value that is not a promise is from memory, without a request to the store.
    if (!(given instanceof Promise)) return given;
    const observe = (): void => histogramOf(operation, key).observe((clock.monotonic() - startedMs) / 1000);
    given.then(observe, observe);
    return given;
  }
  return {
    revision: () => storage.revision(),
    get: (key) => measured('get', key, clock.monotonic(), storage.get(key)),
    list: (prefix, options) => measured('list', prefix, clock.monotonic(), storage.list(prefix, options)),
    put: (key, value, expected, options) =>
      measured(
        expected === 'absent' ? 'create' : 'update',
        key,
        clock.monotonic(),
        storage.put(key, value, expected, options),
      ),
    delete: (key, expected, options) =>
      measured('delete', key, clock.monotonic(), storage.delete(key, expected, options)),
    watch: (prefix, after, observer) => storage.watch(prefix, after, observer),
    compact: (revision) => storage.compact(revision),
    compacted: () => storage.compacted(),
    close: () => storage.close(),
  };
}

/** Returns the first three segments of a key: `/registry/core/pods/` for every pod. */
function prefixOf(key: string): string {
  let end = 0;
  for (let slashes = 0; slashes < 3; slashes++) end = key.indexOf('/', end + 1);
  return key.slice(0, end + 1);
}
