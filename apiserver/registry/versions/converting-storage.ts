import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import {
  type Change,
  type ChangeObserver,
  type Storage,
  StorageError,
  type Stored,
  type Subscription,
} from '../../storage/storage.ts';
import { asWritten, canonicalBytes, isWrittenAs } from './custom-version.ts';
import type { Converter } from './conversion.ts';
import { type Resource, parseObject } from '../resource.ts';
import { toStoredBytes } from '../write/serialisation.ts';
import { withConflictSeen } from './seen-conflict.ts';

type Form = Pick<Resource, 'kind' | 'typeMeta'>;

export interface ConvertingStorageOptions {
  readonly base: Storage;
  /** Version that is read and written through the converting store. */
  readonly seenAs: Resource;
  /** Version that is written to the base store. Stored objects may be of any version. */
  readonly storedAs: Form;
  readonly convert: Converter;
}

/** Creates a store that converts objects by `convert` on reads and writes if their version differs. */
export function createConvertingStorage(options: ConvertingStorageOptions): Storage {
  const { base, storedAs } = options;
  const seen = viewOf(options);
  const translated = <T>(key: string, expected: number | 'absent', write: () => Promise<T>): Promise<T> =>
    withConflictSeen(key, expected, write, seen.one);
  return {
    revision: () => base.revision(),
    compact: (revision) => base.compact(revision),
    compacted: () => base.compacted(),
    close: () => base.close(),
    async get(key) {
      const stored = await base.get(key);
      return stored && seen.one(stored);
    },
    async list(prefix, listOptions) {
      const page = await base.list(prefix, listOptions);
      return { ...page, items: await seen.all(page.items) };
    },
    put: (key, value, expected, putOptions) =>
      translated(key, expected, async () => {
        const [converted = value] = await convertedBytes(options, [value], storedAs, parseObject);
        return seen.one(await base.put(key, converted, expected, putOptions));
      }),
    delete: (key, expected, writeOptions) =>
      translated(key, expected, async () => {
        // The conversion precedes the deletion: an object that cannot be converted must not be deleted.
        const before = await base.get(key);
        if (before?.revision === expected) await seen.one(before);
        return seen.change(await base.delete(key, expected, writeOptions));
      }),
    watch: (prefix, after, observer) => watchConverted(base, seen.change, prefix, after, observer),
  };
}

/** Returns functions that convert stored objects to the version `seenAs`. */
function viewOf(options: ConvertingStorageOptions) {
  const { seenAs, storedAs } = options;
  const all = async (stored: readonly Stored[]): Promise<Stored[]> => {
    const values = await convertedBytes(
      options,
      stored.map(({ value }) => value),
      seenAs,
      (value) => asWritten(seenAs, storedAs, value),
    );
    return stored.map((each, at) => ({
      ...each,
      value: isWrittenAs(seenAs, each.value)
        ? canonicalBytes(seenAs, parseObject(each.value) as ApiObject, each.revision)
        : stampResourceVersion(values[at] ?? each.value, each.revision),
      ...(isWrittenAs(storedAs, each.value) ? {} : { outdated: true }),
    }));
  };
  const one = async (stored: Stored): Promise<Stored> => {
    const [only] = await all([stored]);
    return only ?? stored;
  };
  const change = async (made: Change): Promise<Change> => {
    const { value } = await one(made);
    return { ...made, value, previous: made.previous && (await one(made.previous)) };
  };
  return { all, one, change };
}

/** Converts values. A value of the wanted version is not sent to the converter. */
async function convertedBytes(
  { convert }: ConvertingStorageOptions,
  values: readonly Buffer[],
  wanted: Form,
  read: (value: Buffer) => DeepReadonly<ApiObject>,
): Promise<readonly Buffer[]> {
  const foreign = values.filter((value) => !isWrittenAs(wanted, value));
  if (foreign.length === 0) return values;
  const converted = (await convert(foreign.map(read), wanted.typeMeta.apiVersion)).values();
  return values.map((value) => {
    if (isWrittenAs(wanted, value)) return value;
    const { value: object } = converted.next();
    return object === undefined ? value : toStoredBytes(wanted, object as ApiObject);
  });
}

/**
 * Watches the store and converts changes one after the other. A failed conversion ends the stream, and the
 * reader must reopen it.
 */
async function watchConverted(
  base: Storage,
  convert: (change: Change) => Promise<Change>,
  prefix: string,
  after: number,
  observer: ChangeObserver,
): Promise<Subscription> {
  let work: Promise<void> = Promise.resolve();
  let waiting = 0;
  let delivered = after;
  let ended = false;
  // Changes may arrive, and a conversion may fail, before the subscription is assigned.
  const source: { subscription?: Subscription } = {};
  const end = (error: StorageError): void => {
    if (ended) return;
    ended = true;
    source.subscription?.cancel();
    observer.onEnd(error);
  };
  const deliver = async (change: Change): Promise<void> => {
    if (ended) return;
    try {
      const converted = await convert(change);
      delivered = change.revision;
      if (!ended) observer.onChange(converted);
    } catch (cause) {
      end(new StorageError('ERR_STORAGE_UNAVAILABLE', 'a change cannot be converted', { cause }));
    } finally {
      waiting--;
    }
  };
  const subscription = await base.watch(prefix, after, {
    onChange: (change) => {
      waiting++;
      work = work.then(() => deliver(change));
    },
    onEnd: (error) => {
      work = work.then(() => end(error));
    },
  });
  source.subscription = subscription;
  if (ended) subscription.cancel();
  return {
    get revision() {
      return waiting > 0 ? delivered : Math.max(delivered, subscription.revision);
    },
    async progress() {
      await subscription.progress();
      await work;
    },
    cancel() {
      ended = true;
      subscription.cancel();
    },
  };
}
