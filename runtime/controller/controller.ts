import type { AnyStateMachine } from 'xstate';
import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { PassOutcome } from '../../machines/pass/pass.ts';
import type { Effects } from '../actors/effects.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { InformerScope, Informers } from '../informer/informer.ts';

export type { PassInput, PassOutput } from '../../machines/pass/pass.ts';
export type { Effect, Effects } from '../actors/effects.ts';

/**
 * A controller is a machine, what it watches, and the effects the machine names. Every pass over a key is a run of
 * the machine from its start to a final state, whose output says how the pass ended.
 *
 *     export const tokenCleaner = defineController({
 *       name: 'tokencleaner',
 *       machine: tokenCleanerMachine,
 *       watches: ({ scheme }) => [watch(secrets, { namespace: scheme.vocabulary.namespaces.system })],
 *       effects: ({ client, clock }) => ({ observe: …, deleteToken: … }),
 *     });
 */
export interface ControllerDefinition {
  /** As the `--controllers` flag names it. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** Called once, at start; may ask the server what there is to watch. */
  readonly watches: (context: ControllerContext) => readonly Watch[] | Promise<readonly Watch[]>;
  /** Promise logic for every actor the machine's `setup` names. Called once, at start. */
  readonly effects: (context: ControllerContext) => Effects | Promise<Effects>;
  /** Keys in work at one time. Default 5. */
  readonly concurrency?: number;
  /** Every key known is enqueued again this often, milliseconds. Default 10 hours; 0 never. */
  readonly resyncMs?: number;
  /**
   * Run by one process at a time where processes elect leaders: for what is unsafe or a waste in each of them. Default false.
   */
  readonly single?: boolean;
  /**
   * Its keys come up at times that people have set: while one is late, each controller of the process that is not punctual
   * takes one key at a time. Default false.
   */
  readonly punctual?: boolean;
  /** By which its core/v1 events are known, their `source.component`. Default the name of the program. */
  readonly eventSource?: string;
  /** Off unless `--controllers` names it. Default false. */
  readonly offByDefault?: boolean;
  /** A pass that takes longer is failed and retried, milliseconds. Default 120 000. */
  readonly passTimeoutMs?: number;
  /** Called at the end of every pass with what its effects were made with: for series that count passes. */
  readonly afterPass?: (context: ControllerContext, pass: FinishedPass) => void;
}

/** What is known of a pass once it is over. */
export interface FinishedPass {
  readonly key: string;
  readonly outcome: PassOutcome;
  /** How long it took, milliseconds. */
  readonly ms: number;
}

export interface Watch<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T>;
  readonly scope?: InformerScope;
  /** The keys an object of the kind brings up; default its own `namespace/name`. */
  readonly keys?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => readonly string[];
  /** Which changes bring keys up; default all. */
  readonly when?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => boolean;
}

export interface ControllerContext extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** For series of its own, which are shown with those of the runtime. Empty at each start. */
  readonly metrics: Metrics;
  /** Brings a key of this controller up now, or after a time: for effects that learn of work by another way. */
  enqueue(key: string, afterMs?: number): void;
  /** Watches one more kind from now on, for what was not there at start; returns what ends that. */
  follow(watch: Watch): () => void;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}
