import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import {
  type Change,
  type ChangeObserver,
  type Storage,
  StorageConflict,
  StorageError,
  type Stored,
  type Subscription,
} from '../../storage/storage.ts';
import { asWritten, canonicalBytes, isWrittenAs } from './custom-version.ts';
import type { Converter } from './conversion.ts';
import { type Resource, parseObject } from '../resource.ts';
import { toStoredBytes } from '../write/serialisation.ts';

type Form = Pick<Resource, 'kind' | 'typeMeta'>;

export interface ConvertingStorageOptions {
  readonly base: Storage;
  /** What is read and written through the result. */
  readonly seenAs: Resource;
  /** What is written to the store; what is read from it may be of any version. */
  readonly storedAs: Form;
  readonly convert: Converter;
}

/** A store whose objects are converted on their way in and out by somebody outside, and only when they have to be. */
export function createConvertingStorage(options: ConvertingStorageOptions): Storage {
  const { base, storedAs } = options;
  const seen = viewOf(options);
  const translated = async <T>(
    key: string,
    expected: number | 'absent',
    write: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await write();
    } catch (thrown) {
      if (!(thrown instanceof StorageConflict) || thrown.current === undefined) throw thrown;
      throw new StorageConflict(key, expected, await seen.one(thrown.current));
    }
  };
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
        // Asked for before it is gone: a deletion that cannot be shown must not happen.
        const before = await base.get(key);
        if (before?.revision === expected) await seen.one(before);
        return seen.change(await base.delete(key, expected, writeOptions));
      }),
    watch: (prefix, after, observer) => watchConverted(base, seen.change, prefix, after, observer),
  };
}

/** Stored objects as they are seen. */
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

/** Those that are of the wanted version already are left out of the question. */
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

/** Changes are converted one after the other; one that cannot be ends the stream, and it is for the reader to come back. */
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
  // Changes may be given, and one fail, before the subscription is there.
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
