import { StorageError, type StorageErrorCode } from '../storage.ts';
import {
  type Channel,
  EtcdError,
  INVALID_ARGUMENT,
  OUT_OF_RANGE,
  RESOURCE_EXHAUSTED,
  type Stream,
} from './channel.ts';
import {
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
  type WatchRequest,
  type WatchResponse,
  decodeRange,
  decodeTxn,
  decodeWatch,
  encodeCompaction,
  encodeRange,
  encodeTxn,
  encodeWatch,
} from './messages.ts';

export interface WatchObserver {
  onResponse(response: WatchResponse): void;
  /** Called once when the watch ends for any reason, but not after `cancel`. */
  onEnd(error: StorageError): void;
}

/**
 * Calls of etcd's API. Errors:
 * - ERR_COMPACTED for a compacted revision, ERR_FUTURE_REVISION for a future one;
 * - ERR_NO_ROOM for a write beyond etcd's quota or request limit;
 * - ERR_STORAGE_UNAVAILABLE for everything else. etcd may have executed a write that fails with this error.
 */
export interface EtcdClient {
  range(request: RangeRequest): Promise<RangeResponse>;
  txn(request: TxnRequest): Promise<TxnResponse>;
  /** Compacts history below `revision`. Does nothing if that history is already compacted. */
  compact(revision: number): Promise<void>;
  watch(request: WatchRequest, observer: WatchObserver): Promise<Stream>;
}

/** Creates a client on a channel. Reads are repeated once if the connection was lost; writes are not. */
export function createEtcdClient(channel: Channel): EtcdClient {
  const call = async (path: string, message: Buffer, again = false): Promise<Buffer> => {
    try {
      return await channel.call(path, message);
    } catch (thrown) {
      if (again && isPassing(thrown)) return call(path, message);
      throw toStorageError(thrown);
    }
  };
  return {
    // A read is safe to repeat if the connection was lost; the second call uses the next member.
    range: async (request) => decodeRange(await call('/etcdserverpb.KV/Range', encodeRange(request), true)),
    txn: async (request) => decodeTxn(await call('/etcdserverpb.KV/Txn', encodeTxn(request))),
    async compact(revision) {
      try {
        await call('/etcdserverpb.KV/Compact', encodeCompaction(revision));
      } catch (thrown) {
        if (!(thrown instanceof StorageError) || thrown.code !== 'ERR_COMPACTED') throw thrown;
      }
    },
    async watch(request, observer) {
      try {
        return await channel.stream('/etcdserverpb.Watch/Watch', encodeWatch(request), {
          onMessage: (message) => observer.onResponse(decodeWatch(message)),
          onEnd: (error) => observer.onEnd(toStorageError(error)),
        });
      } catch (thrown) {
        throw toStorageError(thrown);
      }
    },
  };
}

/** True if the same call may succeed on another connection. */
const isPassing = (thrown: unknown): boolean => thrown instanceof EtcdError && thrown.isUnavailable;

function toStorageError(thrown: unknown): StorageError {
  if (!(thrown instanceof EtcdError)) throw thrown;
  return new StorageError(codeOf(thrown), thrown.message, { cause: thrown });
}

/**
 * Maps a gRPC status to a storage error. Only etcd's message distinguishes compacted from future revisions,
 * and a full store from too many requests.
 */
function codeOf({ status, message }: EtcdError): StorageErrorCode {
  if (status === OUT_OF_RANGE) return message.includes('future') ? 'ERR_FUTURE_REVISION' : 'ERR_COMPACTED';
  const isTooMuch =
    (status === RESOURCE_EXHAUSTED && !message.includes('too many requests')) ||
    (status === INVALID_ARGUMENT && /too large|too many operations/.test(message));
  return isTooMuch ? 'ERR_NO_ROOM' : 'ERR_STORAGE_UNAVAILABLE';
}
