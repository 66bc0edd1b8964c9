import { type Timer, sleep } from '../../../base/clock/clock.ts';
import { asError } from '../../../base/errors/coded.ts';
import type { Mvcc } from '../mvcc.ts';
import { UndecryptableValue } from '../encryption/encryption.ts';
import { StorageError } from '../storage.ts';
import type { Stream } from './channel.ts';
import type { BrokenKeys } from './broken-keys.ts';
import { type Loaded, type MirrorOptions, load, readEntry } from './load.ts';
import type { KeyValue, WatchResponse, WatchedChange } from './messages.ts';

/** Where a change does not arrive by itself, it was none of these keys, and one of them is written. */
const TICK_MS = 250;
const ARRIVAL_MS = 10_000;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

interface Waiting {
  readonly revision: number;
  readonly settle: (error?: StorageError) => void;
}

/**
 * All that stands below the prefix, with its recent history, as one stream of changes brings it up. What it shows is a
 * state that etcd has been in, and as new as `reached` was asked for.
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
  /** The newest value that the stream has brought, by which etcd's past is known again; none once it was deleted. */
  #newest: KeyValue | undefined;

  private constructor(options: MirrorOptions, { mvcc, broken }: Loaded) {
    this.#options = options;
    this.#mvcc = mvcc;
    this.broken = broken;
  }

  /** Throws ERR_STORAGE_UNAVAILABLE where etcd does not answer, ERR_BROKEN_VALUE where all it holds is another program's or a value's key is missing. */
  static async open(options: MirrorOptions): Promise<Mirror> {
    const mirror = new Mirror(options, await load(options));
    try {
      await mirror.#follow();
      await mirror.reached(await tick(options));
      const isForeign = mirror.#mvcc.list('/', { limit: 1 }).items.length === 0;
      // Later on another server may have a key that is new here; a start without a key is a mistake of configuration.
      const broken = mirror.broken.find((error) => isForeign || error instanceof UndecryptableValue);
      if (broken !== undefined) throw broken;
      return mirror;
    } catch (thrown) {
      mirror.close();
      throw thrown;
    }
  }

  /** Another one after a time in which too much was missed: to be asked for anew, not kept. */
  get mvcc(): Mvcc {
    return this.#mvcc;
  }

  /** Resolves when all up to `revision` is there. Throws ERR_STORAGE_UNAVAILABLE when it does not come within 10 s. */
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
    // While there is no stream nothing arrives, whatever is written.
    if (this.#waiting.size > 0 && this.#stream !== undefined)
      await tick(this.#options).catch((thrown: unknown) =>
        this.#options.log.warn({ err: asError(thrown) }, 'the revision of etcd could not be moved on'),
      );
    this.#tick = undefined;
    if (this.#waiting.size > 0 && !this.#ended.signal.aborted) this.#tickSoon();
  }

  async #follow(): Promise<void> {
    const { client, keys } = this.#options;
    const after = this.#mvcc.revision;
    // From the change that is known on: that one after it can still be told from one that was compacted, a deletion too.
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
      log.error({ err: stored, key }, 'a value in etcd is not one of this store');
      // Before the revision moves on: who follows has not come so far.
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

  /** Goes on where the stream ended; where that is no more, with a new state, and all who followed have to read it. */
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

  /** Whether etcd no longer knows the newest that is known here, as one does not that was put back to a copy, or emptied. */
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
  new StorageError('ERR_STORAGE_UNAVAILABLE', 'changes of etcd were missed that it no longer knows');

const otherHistory = (): StorageError =>
  new StorageError(
    'ERR_OTHER_HISTORY',
    'etcd tells another past than before, as one does that was restored from a copy',
  );

const closedError = (): StorageError => new StorageError('ERR_CLOSED', 'the store is closed');

const lateError = (revision: number): StorageError =>
  new StorageError(
    'ERR_STORAGE_UNAVAILABLE',
    `revision ${revision} of etcd did not arrive within ${ARRIVAL_MS} ms`,
  );

/**
 * Writes a key that is no object's, and gives the revision of that: once it has arrived, all before it has. An etcd that is
 * full takes deletions alone.
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
