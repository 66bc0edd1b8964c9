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
  /** Once, whatever ends it, but not after `cancel`. */
  onEnd(error: StorageError): void;
}

/**
 * Calls of etcd. They throw ERR_COMPACTED for a revision that is no more, ERR_FUTURE_REVISION for one that is not yet,
 * ERR_NO_ROOM for a write that etcd's space or its limit of a request is too small for, and ERR_STORAGE_UNAVAILABLE for whatever else keeps etcd from answering; after that nobody knows whether a write was
 * carried out.
 */
export interface EtcdClient {
  range(request: RangeRequest): Promise<RangeResponse>;
  txn(request: TxnRequest): Promise<TxnResponse>;
  /** Forgets the past below `revision`; no effect where it is forgotten already. */
  compact(revision: number): Promise<void>;
  watch(request: WatchRequest, observer: WatchObserver): Promise<Stream>;
}

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
    // A read may be made twice: on the connection to the next member, where the first has gone.
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

/** Whether the same call may succeed on another connection. */
const isPassing = (thrown: unknown): boolean => thrown instanceof EtcdError && thrown.isUnavailable;

function toStorageError(thrown: unknown): StorageError {
  if (!(thrown instanceof EtcdError)) throw thrown;
  return new StorageError(codeOf(thrown), thrown.message, { cause: thrown });
}

/** etcd tells a revision of the past from one of the future, and what has no room from what comes too fast, by words alone. */
function codeOf({ status, message }: EtcdError): StorageErrorCode {
  if (status === OUT_OF_RANGE) return message.includes('future') ? 'ERR_FUTURE_REVISION' : 'ERR_COMPACTED';
  const isTooMuch =
    (status === RESOURCE_EXHAUSTED && !message.includes('too many requests')) ||
    (status === INVALID_ARGUMENT && /too large|too many operations/.test(message));
  return isTooMuch ? 'ERR_NO_ROOM' : 'ERR_STORAGE_UNAVAILABLE';
}
