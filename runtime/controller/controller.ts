import type { AnyStateMachine } from 'xstate';
import type { ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { ReconcileOutcome } from '../../machines/pass/index.ts';
import type { Effects } from '../actors/effects.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { InformerScope, Informers } from '../informer/informer.ts';

export type { ReconcileInput, ReconcileOutput } from '../../machines/pass/index.ts';
export type { Effect, Effects } from '../actors/effects.ts';

/**
 * A controller is a machine, its watches, and effects for the actors of the machine. Each reconcile runs
 * the machine from its start to a final state, whose output is the result.
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
  /** Called once, at start; may query the server for the kinds to watch. */
  readonly watches: (context: ControllerContext) => readonly Watch[] | Promise<readonly Watch[]>;
  /** Returns an effect for each actor named in the machine's `setup`. Called once, at start. */
  readonly effects: (context: ControllerContext) => Effects | Promise<Effects>;
  /** Keys reconciled at a time. Default 5. */
  readonly concurrency?: number;
  /**
   * Resync period in milliseconds, ±10 %: all known keys are enqueued again. Default 10 hours; 0 disables it.
   */
  readonly resyncMs?: number;
  /**
   * True if one process at a time runs it under leader election, for work that is unsafe or wasteful in each
   * process. Default false.
   */
  readonly single?: boolean;
  /**
   * True if its keys have due times set by users, such as schedules. While such a key is late, each other
   * controller of the process reconciles one key at a time. Default false.
   */
  readonly deadlineSensitive?: boolean;
  /** Source component of its core/v1 events. Default: the program's name. */
  readonly eventSource?: string;
  /** True if it runs only when `--controllers` names it. Default false. */
  readonly offByDefault?: boolean;
  /** A reconcile that takes longer fails and is retried. Milliseconds. Default 120,000. */
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
  /** Default: all objects of the kind. */
  readonly scope?: InformerScope;
  /** Returns the keys that an event enqueues. Default: the object's own key. */
  readonly keys?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => readonly string[];
  /** Returns false for changes to ignore. Default: none is ignored. */
  readonly when?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => boolean;
}

/** Dependencies of a controller's effects and watches. */
export interface ControllerContext extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** Registry of the controller's own metrics, exposed with those of the runtime. Empty at each start. */
  readonly metrics: Metrics;
  /**
   * Enqueues a key of this controller, for effects that learn of work without a watch.
   * @param afterMs delay in milliseconds, default 0
   */
  enqueue(key: string, afterMs?: number): void;
  /**
   * Watches another kind from now on, if it was not served at start. Returns a function that ends the watch.
   */
  follow(watch: Watch): () => void;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}
