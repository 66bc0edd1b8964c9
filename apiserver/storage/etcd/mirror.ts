import { type Clock, type Timer, sleep } from '../../../base/clock/clock.ts';
import { asError } from '../../../base/errors/coded.ts';
import type { Logger } from '../../../base/log/logger.ts';
import { type HistoryLimits, Mvcc } from '../mvcc.ts';
import { type Stamp, StorageError, type Stored } from '../storage.ts';
import type { Stream } from './channel.ts';
import type { EtcdClient } from './client.ts';
import { fromEntryBytes } from './entry.ts';
import type { Keys } from './keys.ts';
import type { KeyValue, WatchResponse, WatchedChange } from './messages.ts';

export interface MirrorOptions extends HistoryLimits {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly stamp: Stamp;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Values read at once when the mirror is filled. */
const PAGE = 500;
/** Changes of the past that are read at the start, so that watches of before it go on. */
const HISTORY = 10_000;
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
  #mvcc: Mvcc;
  #stream: Stream | undefined;
  #retries = 0;
  /** What was found that is not of this store. */
  #foreign: Error | undefined;
  #tick: Timer | undefined;
  /** The newest value that the stream has brought, by which etcd's past is known again; none once it was deleted. */
  #newest: KeyValue | undefined;

  private constructor(options: MirrorOptions, mvcc: Mvcc) {
    this.#options = options;
    this.#mvcc = mvcc;
  }

  /** Throws ERR_STORAGE_UNAVAILABLE where etcd does not answer, or holds what this store did not write. */
  static async open(options: MirrorOptions): Promise<Mirror> {
    const mirror = new Mirror(options, await load(options));
    await mirror.#follow();
    await mirror.reached(await tick(options));
    if (mirror.#foreign === undefined) return mirror;
    mirror.close();
    throw mirror.#foreign;
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
    const previous = key === undefined ? undefined : mvcc.get(key);
    if (key === undefined || (type === 'delete' && previous === undefined)) return mvcc.advance(revision);
    try {
      if (type === 'put') mvcc.commit({ type, previous, ...storedOf(key, entry, stamp) });
      else if (previous !== undefined)
        mvcc.commit({ type, key, previous, revision, value: stamp(previous.value, revision) });
    } catch (thrown) {
      this.#foreign = asError(thrown);
      log.error({ err: this.#foreign, key }, 'a value in etcd is not one of this store');
      mvcc.advance(revision);
    }
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
    this.#mvcc = await load(this.#options);
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

function storedOf(key: string, { modRevision, value }: KeyValue, stamp: Stamp): Stored {
  const { value: bytes, ...expiry } = fromEntryBytes(key, value);
  return { key, value: stamp(bytes, modRevision), revision: modRevision, ...expiry };
}

/** Writes a key that is no object's, and gives the revision of that: once it has arrived, all before it has. */
async function tick({ client, keys }: MirrorOptions): Promise<number> {
  const { revision } = await client.txn({ conditions: [], key: keys.tick, value: Buffer.alloc(0) });
  return revision;
}

/** A state of the recent past, from which changes lead to the present one. */
async function load(options: MirrorOptions): Promise<Mvcc> {
  const { client, keys, historyLimit = HISTORY } = options;
  const { revision } = await client.range({ key: keys.tick, countOnly: true });
  for (let from = Math.max(1, revision - historyLimit); ;) {
    try {
      return await loadAt(options, from);
    } catch (thrown) {
      if (!(thrown instanceof StorageError) || thrown.code !== 'ERR_COMPACTED') throw thrown;
      from = Math.max(from + 1, await oldest(options));
    }
  }
}

async function loadAt(options: MirrorOptions, revision: number): Promise<Mvcc> {
  const { client, keys, stamp, clock: _clock, log: _log, ...limits } = options;
  const mvcc = new Mvcc(revision, limits);
  for (let from = keys.first, more = true; more;) {
    const page = await client.range({ key: from, end: keys.end, limit: PAGE, revision });
    for (const entry of page.items) {
      const key = keys.toKey(entry.key);
      if (key !== undefined) mvcc.load(storedOf(key, entry, stamp));
    }
    more = page.more;
    from = `${page.items.at(-1)?.key ?? ''}\0`;
  }
  return mvcc;
}

/** The oldest revision that can be read: a watch of the very first is refused with it. */
function oldest({ client, keys }: MirrorOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const watched = client.watch(
      { key: keys.tick, end: Buffer.alloc(0), from: 1 },
      {
        onResponse({ canceled, compactRevision }) {
          if (!canceled) return;
          resolve(compactRevision);
          void watched.then((stream) => stream.cancel());
        },
        onEnd: reject,
      },
    );
    watched.catch(reject);
  });
}
