import { type Timer, sleep } from '../../../base/clock/index.ts';
import { asError } from '../../../base/errors/index.ts';
import type { Mvcc } from '../mvcc.ts';
import { UndecryptableValue } from '../encryption/encryption.ts';
import { StorageError } from '../storage.ts';
import type { Stream } from './channel.ts';
import type { BrokenKeys } from './broken-keys.ts';
import { type Loaded, type MirrorOptions, load, readEntry } from './load.ts';
import type { KeyValue, WatchResponse, WatchedChange } from './messages.ts';

/**
 * Milliseconds to wait for a revision. A later revision may be a change outside the prefix, which the stream
 * does not contain. The tick key is then written: its change follows in the stream.
 */
const TICK_MS = 250;
const ARRIVAL_MS = 10_000;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

interface Waiting {
  readonly revision: number;
  readonly settle: (error?: StorageError) => void;
}

/**
 * Copy in memory of everything below the prefix and its recent history, kept current by one stream of
 * changes. It always contains a state that etcd has had, at least as new as the last `reached` that resolved.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #ended = new AbortController();
  readonly #waiting = new Set<Waiting>();
  readonly broken: BrokenKeys;
  #mvcc: Mvcc;
  #stream: Stream | undefined;
  #retries = 0;
  #tick: Timer | undefined;
  /**
   * The newest value that the stream has delivered; undefined once it was deleted. After a reconnect it is
   * compared with etcd, to detect that etcd was restored from a backup.
   */
  #newest: KeyValue | undefined;

  private constructor(options: MirrorOptions, { mvcc, broken }: Loaded) {
    this.#options = options;
    this.#mvcc = mvcc;
    this.broken = broken;
  }

  /**
   * Loads the mirror. Rejects with ERR_STORAGE_UNAVAILABLE if etcd does not respond, and with
   * ERR_BROKEN_VALUE if the prefix belongs to another program or the key of a value is missing.
   */
  static async open(options: MirrorOptions): Promise<Mirror> {
    const mirror = new Mirror(options, await load(options));
    try {
      await mirror.#follow();
      await mirror.reached(await tick(options));
      const isForeign = mirror.#mvcc.list('/', { limit: 1 }).items.length === 0;
      // While this server runs, another server may use an encryption key that is unknown here. At startup, a
      // missing key is a configuration error.
      const broken = mirror.broken.find((error) => isForeign || error instanceof UndecryptableValue);
      if (broken !== undefined) throw broken;
      return mirror;
    } catch (thrown) {
      mirror.close();
      throw thrown;
    }
  }

  /**
   * The loaded state. It is replaced after a gap in the stream, so callers must read this property each time.
   */
  get mvcc(): Mvcc {
    return this.#mvcc;
  }

  /**
   * Resolves when the mirror contains everything up to `revision`. Rejects with ERR_STORAGE_UNAVAILABLE after
   * 10 s.
   */
  reached(revision: number): Promise<void> {
    if (this.#mvcc.revision >= revision) return Promise.resolve();
    if (this.#ended.signal.aborted) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const { clock } = this.#options;
      const deadline = clock.setTimeout(() => settle(lateError(revision)), ARRIVAL_MS);
      const settle = (error?: StorageError): void => {
        clock.clearTimeout(deadline);
        this.#waiting.delete(waiting);
        if (error === undefined) resolve();
        else reject(error);
      };
      const waiting: Waiting = { revision, settle };
      this.#waiting.add(waiting);
      this.#tickSoon();
    });
  }

  close(): void {
    this.#ended.abort();
    this.#options.clock.clearTimeout(this.#tick);
    this.#stream?.cancel();
    this.#mvcc.close();
    for (const { settle } of this.#waiting) settle(closedError());
  }

  #tickSoon(): void {
    this.#tick ??= this.#options.clock.setTimeout(() => void this.#tickNow(), TICK_MS);
  }

  async #tickNow(): Promise<void> {
    // Without a stream no change arrives, so writing the key is useless.
    if (this.#waiting.size > 0 && this.#stream !== undefined)
      await tick(this.#options).catch((thrown: unknown) =>
        this.#options.log.warn({ err: asError(thrown) }, 'the tick key in etcd could not be written'),
      );
    this.#tick = undefined;
    if (this.#waiting.size > 0 && !this.#ended.signal.aborted) this.#tickSoon();
  }

  async #follow(): Promise<void> {
    const { client, keys } = this.#options;
    const after = this.#mvcc.revision;
    // The watch starts at the last known change, not after it: etcd then reports a compaction of that change,
    // even if the next change is a deletion.
    const stream = await client.watch(
      { key: keys.first, end: keys.end, from: after },
      { onResponse: (response) => this.#take(response, after), onEnd: (error) => this.#broken(error) },
    );
    if (this.#ended.signal.aborted) stream.cancel();
    else this.#stream = stream;
  }

  #take(response: WatchResponse, after: number): void {
    if (response.canceled) {
      this.#stream?.cancel();
      this.#broken(
        response.compactRevision > 0
          ? new StorageError('ERR_COMPACTED', `etcd has compacted revision ${response.compactRevision}`)
          : new StorageError('ERR_STORAGE_UNAVAILABLE', `etcd has ended the watch: ${response.reason}`),
      );
      return;
    }
    this.#retries = 0;
    for (const change of response.changes) if (change.entry.modRevision > after) this.#apply(change);
    const { revision } = this.#mvcc;
    for (const waiting of this.#waiting) if (waiting.revision <= revision) waiting.settle();
  }

  #apply({ type, entry }: WatchedChange): void {
    const { keys, stamp, log } = this.#options;
    const mvcc = this.#mvcc;
    const revision = entry.modRevision;
    if (type === 'put') this.#newest = entry;
    else if (entry.key === this.#newest?.key) this.#newest = undefined;
    const key = keys.toKey(entry.key);
    if (key === undefined) return mvcc.advance(revision);
    const previous = mvcc.get(key);
    if (type === 'delete') {
      this.broken.delete(key);
      if (previous === undefined) return mvcc.advance(revision);
      return mvcc.commit({ type, key, previous, revision, value: stamp(previous.value, revision) });
    }
    const stored = readEntry(key, entry, this.#options);
    if (stored instanceof StorageError) {
      log.error({ err: stored, key }, 'a value in etcd was not written by this store');
      // Must precede the advance of the revision: followers have not received the change.
      this.broken.add(key, revision, stored);
      return mvcc.advance(revision);
    }
    this.broken.delete(key);
    mvcc.commit({ type, previous, ...stored });
  }

  #broken(error: StorageError): void {
    this.#stream = undefined;
    if (this.#ended.signal.aborted) return;
    void this.#resume(error);
  }

  /**
   * Reopens the stream at its last change. If changes after that one were compacted or etcd was restored,
   * reloads the state and ends all watches.
   */
  async #resume(error: StorageError): Promise<void> {
    const { clock, log } = this.#options;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, this.#retries++));
    log.warn({ err: error, delayMs }, 'the stream of changes from etcd has broken');
    try {
      await sleep(clock, delayMs, this.#ended.signal);
      if (error.code === 'ERR_COMPACTED') await this.#renew(missed());
      else if (await this.#isOther()) await this.#renew(otherHistory());
      await this.#follow();
    } catch (thrown) {
      if (this.#ended.signal.aborted) return;
      const cause = asError(thrown);
      this.#broken(
        cause instanceof StorageError
          ? cause
          : new StorageError('ERR_STORAGE_UNAVAILABLE', cause.message, { cause }),
      );
    }
  }

  /** True if etcd does not have the newest value known here: etcd was restored from a backup or emptied. */
  async #isOther(): Promise<boolean> {
    const { client, keys } = this.#options;
    const { revision } = this.#mvcc;
    const { key, modRevision, value } = this.#newest ?? { key: keys.tick };
    try {
      const [found] = (await client.range({ key, revision })).items;
      if (value === undefined) return false;
      return found === undefined || found.modRevision !== modRevision || !found.value.equals(value);
    } catch (thrown) {
      if (thrown instanceof StorageError && thrown.code === 'ERR_FUTURE_REVISION') return true;
      throw thrown;
    }
  }

  async #renew(reason: StorageError): Promise<void> {
    const before = this.#mvcc;
    const { mvcc, broken } = await load(this.#options);
    this.#mvcc = mvcc;
    this.broken.replace(broken);
    this.#newest = undefined;
    before.close(reason);
  }
}

const missed = (): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', 'etcd has compacted changes that were missed');

const otherHistory = (): StorageError =>
  new StorageError('ERR_OTHER_HISTORY', 'etcd has another history than before: it was restored from a copy');

const closedError = (): StorageError => new StorageError('ERR_CLOSED', 'the store is closed');

const lateError = (revision: number): StorageError =>
  new StorageError(
    'ERR_STORAGE_UNAVAILABLE',
    `revision ${revision} of etcd did not arrive within ${ARRIVAL_MS} ms`,
  );

/**
 * Writes the tick key and returns its revision. Once this change has arrived, every earlier change has
 * arrived. A full etcd accepts only deletions; the tick key is then deleted instead.
 */
async function tick({ client, keys }: MirrorOptions): Promise<number> {
  const write = (value: Buffer | undefined) =>
    client.txn({ conditions: [], operations: [{ key: keys.tick, value }] });
  const { revision } = await write(Buffer.alloc(0)).catch((thrown: unknown) => {
    if (!(thrown instanceof StorageError) || thrown.code !== 'ERR_NO_ROOM') throw thrown;
    return write(undefined);
  });
  return revision;
}
