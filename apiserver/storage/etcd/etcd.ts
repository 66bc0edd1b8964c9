import type { Write } from '../memory.ts';
import { type HistoryLimits, toStored } from '../mvcc.ts';
import { type Patience, patiently } from '../patience.ts';
import {
  type Change,
  type ChangeObserver,
  type ListOptions,
  type PutOptions,
  type Stamp,
  type Storage,
  StorageConditionFailed,
  StorageConflict,
  StorageError,
  type Stored,
  type Subscription,
  type WriteOptions,
} from '../storage.ts';
import { type Channel, type ChannelTls, createChannel } from './channel.ts';
import { type EtcdClient, createEtcdClient } from './client.ts';
import { toEntryBytes } from './entry.ts';
import { type Keys, createKeys } from './keys.ts';
import type { KeyValue, Operation, TxnResponse } from './messages.ts';
import { type Check, readEntry } from './load.ts';
import { Mirror } from './mirror.ts';
import { type Transformer, identityTransformer } from '../transformer.ts';

/**
 * Options of a store in etcd. `patienceMs` is how long etcd may be unreachable while the store is being
 * opened, as etcd and the API server may start at the same time.
 */
export interface EtcdStorageOptions extends HistoryLimits, Patience {
  /** One or more URLs of the members, such as `https://10.0.0.1:2379`. */
  readonly endpoints: readonly string[];
  /** TLS of the connections. Default: Node's certificate authorities, no client certificate. */
  readonly tls?: ChannelTls;
  /** Prefix of every key, such as `/store`, so that several stores can share a cluster. */
  readonly prefix: string;
  readonly stamp: Stamp;
  /** Encodes values for etcd. Default: values are stored unchanged. */
  readonly transformer?: Transformer;
  /** Throws for a stamped value that no server has written. Default: values are not checked. */
  readonly check?: Check;
}

/**
 * Opens a store in etcd (3.4 and later) that any number of API servers can share. Revisions are etcd's.
 *
 * Everything below the prefix is mirrored in memory. A read requests only the newest revision from etcd, in
 * one call for all concurrent reads, and waits until the mirror has reached that revision. A write is one
 * transaction; it resolves when the mirror contains it.
 *
 * While etcd is unreachable, calls reject with ERR_STORAGE_UNAVAILABLE and watches pause; afterwards they
 * continue. Opening rejects with ERR_STORAGE_UNAVAILABLE if etcd is unreachable for longer than `patienceMs`,
 * and with ERR_BROKEN_VALUE if the prefix belongs to another program or a value needs an unknown key.
 */
export async function openEtcdStorage(options: EtcdStorageOptions): Promise<Storage> {
  const { endpoints, tls = {}, prefix, stamp, clock, log, patienceMs, ...limits } = options;
  const { check = () => {}, transformer = identityTransformer } = options;
  const channel = createChannel({ endpoints, tls, clock });
  const client = createEtcdClient(channel);
  const keys = createKeys(prefix);
  try {
    const mirror = await patiently({ clock, log, patienceMs }, () =>
      Mirror.open({ ...limits, client, keys, stamp, check, transformer, clock, log }),
    );
    return new EtcdStorage({ channel, client, keys, mirror, stamp, check, transformer });
  } catch (thrown) {
    channel.close();
    throw thrown;
  }
}

interface EtcdParts {
  readonly channel: Channel;
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly mirror: Mirror;
  readonly stamp: Stamp;
  readonly check: Check;
  readonly transformer: Transformer;
}

class EtcdStorage implements Storage {
  readonly #channel: Channel;
  readonly #client: EtcdClient;
  readonly #keys: Keys;
  readonly #mirror: Mirror;
  readonly #stamp: Stamp;
  readonly #check: Check;
  readonly #transformer: Transformer;
  readonly #writes = new Set<Promise<unknown>>();
  /** Fulfilled when the pending request for the revision has succeeded or failed. */
  #query: Promise<unknown> = Promise.resolve();
  /**
   * Next request for the revision. Reads that arrive during a pending request share the next one, because
   * etcd may have determined the pending response before those reads began.
   */
  #nextQuery: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ channel, client, keys, mirror, stamp, check, transformer }: EtcdParts) {
    this.#channel = channel;
    this.#client = client;
    this.#keys = keys;
    this.#mirror = mirror;
    this.#stamp = stamp;
    this.#check = check;
    this.#transformer = transformer;
  }

  async revision(): Promise<number> {
    await this.#catchUp();
    return this.#mirror.mvcc.revision;
  }

  async get(key: string): Promise<Stored | undefined> {
    await this.#catchUp();
    this.#mirror.broken.assertKey(key);
    return this.#mirror.mvcc.read(key);
  }

  async list(prefix: string, options: ListOptions = {}) {
    this.#assertOpen();
    const { revision } = options;
    if (revision === undefined || revision > this.#mirror.mvcc.revision) await this.#catchUp();
    this.#mirror.broken.assertPrefix(prefix, revision);
    return this.#mirror.mvcc.list(prefix, options);
  }

  async put(key: string, value: Buffer, expected: number | 'absent', options?: PutOptions): Promise<Stored> {
    return toStored(await this.#write({ type: 'put', key, value, expected, options }));
  }

  delete(key: string, expected: number, options?: WriteOptions): Promise<Change> {
    return this.#write({ type: 'delete', key, value: undefined, expected, options });
  }

  async watch(prefix: string, after: number, observer: ChangeObserver) {
    await this.#catchUp();
    const { broken, mvcc } = this.#mirror;
    broken.assertPrefix(prefix);
    const leave = broken.follow(prefix, (error) => {
      subscription?.cancel();
      observer.onEnd(error);
    });
    const onEnd = (error: StorageError): void => {
      leave();
      observer.onEnd(error);
    };
    let subscription: Subscription | undefined;
    try {
      subscription = mvcc.watch(prefix, after, { onChange: (change) => observer.onChange(change), onEnd });
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return {
      get revision() {
        return subscription?.revision ?? after;
      },
      progress: () => this.#catchUp(),
      cancel() {
        leave();
        subscription?.cancel();
      },
    };
  }

  async compact(revision: number): Promise<void> {
    await this.#catchUp();
    if (revision <= this.compacted()) return;
    this.#mirror.mvcc.compact(revision);
    await this.#client.compact(revision);
  }

  compacted(): number {
    return this.#mirror.mvcc.compacted;
  }

  /** Waits for pending writes; later writes are rejected. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    this.#mirror.close();
    this.#channel.close();
  }

  #assertOpen(): void {
    if (this.#closing) throw new StorageError('ERR_CLOSED', 'the store is closed');
  }

  /** Resolves when the mirror contains everything written by any server before this call. */
  async #catchUp(): Promise<void> {
    this.#assertOpen();
    this.#nextQuery ??= this.#queryNext(this.#query);
    return this.#nextQuery;
  }

  async #queryNext(before: Promise<unknown>): Promise<void> {
    await before;
    const known = this.#mirror.mvcc.revision;
    const response = this.#client.range({ key: this.#keys.tick, countOnly: true });
    this.#query = Promise.allSettled([response]);
    this.#nextQuery = undefined;
    const { revision } = await response;
    // etcd was restored from a backup: the mirror contains lost writes until it is reloaded.
    if (revision < known)
      throw new StorageError(
        'ERR_STORAGE_UNAVAILABLE',
        `etcd is at revision ${revision} and was at ${known}: it was restored from a copy`,
      );
    await this.#mirror.reached(revision);
  }

  async #write(write: Write): Promise<Change> {
    this.#assertOpen();
    const underway = this.#execute(write);
    this.#writes.add(underway);
    try {
      return await underway;
    } finally {
      this.#writes.delete(underway);
    }
  }

  async #execute(write: Write): Promise<Change> {
    const { key, value, options } = write;
    const companions = (options?.with ?? []).map((other) => this.#operation(other.key, other.value));
    const response = await this.#client.txn({
      conditions: demandsOf(write).map(({ key: other, expected }) => ({
        key: this.#keys.toEtcd(other),
        modRevision: expected === 'absent' ? 0 : expected,
      })),
      operations: [this.#operation(key, value, options?.expiresAtMs), ...companions],
    });
    if (!response.succeeded) throw this.#rejection(write, response);
    // The write is committed in etcd; a mirror that is late or closed only concerns readers.
    await this.#mirror.reached(response.revision).catch(() => undefined);
    return this.#changeOf(write, response);
  }

  #operation(key: string, value: Buffer | undefined, expiresAtMs?: number): Operation {
    const stored = value && toEntryBytes(this.#transformer.toStorage(key, value), expiresAtMs);
    return { key: this.#keys.toEtcd(key), value: stored };
  }

  #changeOf({ type, key, value, options }: Write, { revision, before }: TxnResponse): Change {
    const previous = this.#storedOf(key, before);
    const { expiresAtMs } = options ?? {};
    return {
      type,
      key,
      revision,
      value: this.#stamp(value ?? previous?.value ?? Buffer.alloc(0), revision),
      previous,
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    };
  }

  #rejection(write: Write, { found }: TxnResponse): StorageError {
    const [own, ...demands] = demandsOf(write);
    for (const [place, { key, expected }] of demands.entries()) {
      const revision = found[place + 1]?.modRevision;
      if ((revision ?? 'absent') !== expected) return new StorageConditionFailed(key, expected, revision);
    }
    return new StorageConflict(own.key, own.expected, this.#storedOf(own.key, found[0]));
  }

  #storedOf(key: string, entry: KeyValue | undefined): Stored | undefined {
    if (entry === undefined) return undefined;
    const stored = readEntry(key, entry, {
      stamp: this.#stamp,
      check: this.#check,
      transformer: this.#transformer,
    });
    if (stored instanceof StorageError) throw stored;
    return stored;
  }
}

interface Demand {
  readonly key: string;
  readonly expected: number | 'absent';
}

/** Returns the expected revisions of all keys in a write, first that of the written key. */
const demandsOf = ({ key, expected, options }: Write): readonly [Demand, ...Demand[]] => [
  { key, expected },
  ...(options?.while ?? []).map((other) => ({ key: other.key, expected: other.revision })),
  ...(options?.with ?? []),
];
