import type { AnyStateMachine } from 'xstate';
import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { ReconcileOutcome } from '../../machines/reconcile/index.ts';
import type { Effects } from '../actors/effects.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { InformerScope, Informers } from '../informer/informer.ts';

export type { ReconcileInput, ReconcileOutput } from '../../machines/reconcile/index.ts';
export type { Effect, Effects } from '../actors/effects.ts';

/**
 * A machine, the kinds that it watches, and one effect for each actor of the machine. Each reconcile runs the
 * machine from its initial state to a final state, whose output is the result.
 *
 *     export const tokenCleaner = defineController({
 *       name: 'tokencleaner',
 *       machine: tokenCleanerMachine,
 *       watches: ({ scheme }) => [watch(secrets, { namespace: scheme.vocabulary.namespaces.system })],
 *       effects: ({ client, clock }) => ({ observe: …, deleteToken: … }),
 *     });
 */
export interface ControllerDefinition {
  /** Name in the `--controllers` flag. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** Returns the kinds to watch. Called once, at start; may query the server. */
  readonly watches: (context: ControllerContext) => readonly Watch[] | Promise<readonly Watch[]>;
  /** Returns an effect for each actor named in the machine's `setup`. Called once, at start. */
  readonly effects: (context: ControllerContext) => Effects | Promise<Effects>;
  /** Maximum number of keys that are reconciled concurrently. Default 5. */
  readonly concurrency?: number;
  /**
   * Resync period in milliseconds, varied by ±10 %: all known keys are enqueued again. Default 10 hours; 0
   * disables resyncs.
   */
  readonly resyncMs?: number;
  /**
   * True if at most one process runs the controller, under leader election, because its work is unsafe or
   * wasteful in several processes. Default false.
   */
  readonly single?: boolean;
  /**
   * True if keys of the controller have due times set by users, such as schedules. While a key of such a
   * controller is late, every other controller of the process reconciles one key at a time. Default false.
   */
  readonly deadlineSensitive?: boolean;
  /** Source component of the controller's core/v1 events. Default: the program's name. */
  readonly eventSource?: string;
  /** True if the controller runs only when `--controllers` names it. Default false. */
  readonly offByDefault?: boolean;
  /**
   * Maximum duration of a reconcile in milliseconds; a longer reconcile fails and is retried. Default
   * 120,000.
   */
  readonly reconcileTimeoutMs?: number;
  /** Called after each reconcile, for metrics that count reconciles. */
  readonly afterReconcile?: (context: ControllerContext, reconcile: FinishedReconcile) => void;
}

/** Result of a completed reconcile. */
export interface FinishedReconcile {
  readonly key: string;
  readonly outcome: ReconcileOutcome;
  /** Duration in milliseconds. */
  readonly ms: number;
}

/** A watched kind and the keys that its events enqueue. */
export interface Watch<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T>;
  /** Namespace and selectors of the watched objects. Default: all objects of the kind. */
  readonly scope?: InformerScope;
  /** Returns the keys that an event enqueues. Default: the object's own key. */
  readonly keys?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => readonly string[];
  /** Returns false for changes to ignore. Default: no change is ignored. */
  readonly when?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => boolean;
}

/** Dependencies of a controller's effects and watches. */
export interface ControllerContext extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /**
   * Registry of the controller's own metrics, exposed with the metrics of the runtime. Empty at each start.
   */
  readonly metrics: Metrics;
  /**
   * Enqueues a key of this controller. For effects that learn of work by other means than a watch.
   * @param afterMs delay in milliseconds, default 0
   */
  enqueue(key: string, afterMs?: number): void;
  /**
   * Watches another kind from now on, for kinds that are not known at start. Returns a function that ends the
   * watch.
   */
  follow(watch: Watch): () => void;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}
