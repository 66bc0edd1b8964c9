import { messageOf } from '../../../base/errors/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import { type HistoryLimits, Mvcc } from '../mvcc.ts';
import { type Stamp, StorageError, type Stored } from '../storage.ts';
import type { Transformer } from '../transformer.ts';
import { BrokenKeys } from './broken-keys.ts';
import type { EtcdClient } from './client.ts';
import { fromEntryBytes } from './entry.ts';
import type { Keys } from './keys.ts';
import type { KeyValue } from './messages.ts';

export interface MirrorOptions extends HistoryLimits {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly stamp: Stamp;
  readonly check: Check;
  readonly transformer: Transformer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Function that throws for a stamped value that no store of this format has written. */
export type Check = (value: Buffer) => void;

/** Maximum number of values in one request while the mirror is loaded. */
const PAGE = 500;
/** Number of past changes that are loaded at startup, so that earlier watches can resume. */
const HISTORY = 10_000;
/**
 * Decodes an entry of etcd and stamps its value. Returns the error if the entry is not a value of this store.
 */
export function readEntry(
  key: string,
  { modRevision: revision, value: entry }: KeyValue,
  { stamp, check, transformer }: Pick<MirrorOptions, 'stamp' | 'check' | 'transformer'>,
): Stored | StorageError {
  try {
    const { value: bytes, ...expiry } = fromEntryBytes(key, entry);
    const { value: plain, isStale } = transformer.fromStorage(key, bytes);
    const value = stamp(plain, revision);
    check(value);
    return { key, value, revision, ...expiry, ...(isStale ? { outdated: true } : {}) };
  } catch (cause) {
    if (cause instanceof StorageError) return cause;
    const message = `etcd holds a value at ${key} that no server has written: ${messageOf(cause)}`;
    return new StorageError('ERR_BROKEN_VALUE', message, { cause });
  }
}

/** A loaded state, with the keys whose values could not be read. */
export interface Loaded {
  readonly mvcc: Mvcc;
  readonly broken: BrokenKeys;
}

/** Loads a recent past state. The changes from that state to the current one are streamed afterwards. */
export async function load(options: MirrorOptions): Promise<Loaded> {
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

async function loadAt(options: MirrorOptions, revision: number): Promise<Loaded> {
  const { client, keys, log, historyLimit, historyBytes } = options;
  const mvcc = new Mvcc(revision, {
    ...(historyLimit === undefined ? {} : { historyLimit }),
    ...(historyBytes === undefined ? {} : { historyBytes }),
  });
  const broken = new BrokenKeys();
  for (let from = keys.first, more = true; more;) {
    const page = await client.range({ key: from, end: keys.end, limit: PAGE, revision });
    for (const entry of page.items) {
      const key = keys.toKey(entry.key);
      if (key === undefined) continue;
      const stored = readEntry(key, entry, options);
      if (stored instanceof StorageError) {
        log.error({ err: stored, key }, 'a value in etcd was not written by this store');
        broken.add(key, entry.modRevision, stored);
      } else mvcc.load(stored);
    }
    more = page.more;
    from = `${page.items.at(-1)?.key ?? ''}\0`;
  }
  return { mvcc, broken };
}

/** Returns the oldest readable revision. etcd reports it when it cancels a watch from revision 1. */
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
