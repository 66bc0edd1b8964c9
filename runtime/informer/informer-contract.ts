import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { ReflectorInput } from '../../machines/informer/reflector.ts';
import type { Client } from '../client/client.ts';
import type { Informer, InformerScope } from './informer.ts';
import type { Transform } from './transform.ts';

/** Code of the error that a lookup before the first list throws. */
export type InformerErrorCode = 'ERR_CACHE_NOT_FILLED';

/** State of one informer, for health checks, metrics and the dashboard. */
export interface InformerHealth {
  readonly name: string;
  readonly synced: boolean;
  readonly watching: boolean;
  /** Time in milliseconds since the last event, bookmark or list. */
  readonly silentMs: number;
  readonly objects: number;
  /** Last failure; undefined after the next contact with the server. */
  readonly problem?: string;
}

/** Callbacks for metrics. The argument `informer` is the kind and scope of an informer. */
export interface InformerMetrics {
  /** Called once, with a function that returns the current state of all informers. */
  track?(read: () => readonly InformerHealth[]): void;
  /**
   * Called after a list. `missed` is the number of changes that no watch had reported, 0 for the first list;
   * `ms` is the duration in milliseconds.
   */
  listed?(informer: string, objects: number, missed: number, ms: number): void;
  watchStarted?(informer: string): void;
  watchEnded?(informer: string, how: 'ended' | 'expired' | 'failed' | 'stopped'): void;
  event?(informer: string, type: string): void;
  handlerFailed?(informer: string): void;
}

/** Options of `createSharedInformer`. */
export interface SharedInformerOptions<T extends ApiObject> {
  readonly client: Client;
  readonly kind: Kind<T>;
  readonly scope: InformerScope;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: InformerMetrics;
  /** Reduces objects before they are cached. */
  readonly transform: Transform;
  /** Called with an error message when the informer starts to wait for an unreachable server. */
  readonly onUnreachable?: (err: string) => void;
  /** Called when the server has returned a list or accepted a watch. */
  readonly onAnswered?: () => void;
  /** Timing of the reflector. */
  readonly reflector?: ReflectorInput;
  /**
   * Minimum requested lifetime of a watch in seconds. The requested lifetime is random, up to twice as long.
   * Default 300, as in client-go.
   */
  readonly watchSeconds?: number;
}

/** An informer with its lifecycle. */
export interface SharedInformer<T extends ApiObject> extends Informer<T> {
  /** Kind and scope, such as `pods` or `jobs.batch in default`. */
  readonly name: string;
  /** Number of cached objects, 0 before the first list. */
  readonly size: number;
  /** True if a lookup has failed because the cache was not filled. */
  readonly readEarly: boolean;
  /** True while a watch is open, false while listing or waiting. */
  readonly watching: boolean;
  /** True while the informer waits for an unreachable server. */
  readonly unreachable: boolean;
  start(): void;
  /** Retries at once if the informer waits for an unreachable server; otherwise does nothing. */
  retry(): void;
  /** Retries at once if the informer waits after any failure; otherwise does nothing. */
  wake(): void;
  stop(): Promise<void>;
}
