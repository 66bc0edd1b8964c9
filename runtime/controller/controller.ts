import type { AnyStateMachine } from 'xstate';
import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Informer, InformerScope, Informers } from '../informer/informer.ts';

/**
 * A controller is a machine, what it watches, and the effects the machine names. Every pass over a key is a run of
 * the machine from its start to a final state, whose output says how the pass ended.
 *
 *     export const tokenCleaner = defineController({
 *       name: 'tokencleaner',
 *       machine: tokenCleanerMachine,
 *       watches: ({ vocabulary }) => [watch(secrets, { namespace: vocabulary.namespaces.system })],
 *       effects: ({ client, clock }) => ({ observe: …, deleteToken: … }),
 *     });
 */
export interface ControllerDefinition {
  /** As the `--controllers` flag names it. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly watches: (context: ControllerContext) => readonly Watch[];
  /** Promise logic for every actor the machine's `setup` names. Called once, at start. */
  readonly effects: (context: ControllerContext) => Effects;
  /** Keys in work at one time. Default 5. */
  readonly concurrency?: number;
  /** Every key known is enqueued again this often, milliseconds. Default 10 hours; 0 never. */
  readonly resyncMs?: number;
  /** Off unless `--controllers` names it. Default false. */
  readonly offByDefault?: boolean;
  /** A pass that takes longer is failed and retried, milliseconds. Default 120 000. */
  readonly passTimeoutMs?: number;
}

/** One effect: gets the machine's input for it and the pass's signal. What it throws is the invoke's error. */
export type Effect = (input: never, signal: AbortSignal) => Promise<unknown>;
export type Effects = { readonly [actor: string]: Effect };

/** What every machine gets when a pass starts. */
export interface PassInput {
  readonly key: string;
  /** Retries of this key since it last settled. */
  readonly retries: number;
}

/** What every machine gives when it is done; the closed set that queue, log line and metric share. */
export type PassOutput =
  | { readonly outcome: 'settled' }
  /** Look again after a time, for the reason given. */
  | { readonly outcome: 'requeue'; readonly afterMs: number; readonly reason: string }
  /** Retried with backoff. */
  | { readonly outcome: 'failed'; readonly error: string };

export interface Watch<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T>;
  readonly scope?: InformerScope;
  /** The keys an object of the kind brings up; default its own `namespace/name`. */
  readonly keys?: (object: DeepReadonly<T>, previous: DeepReadonly<T> | undefined) => readonly string[];
}

export interface ControllerContext extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** Settings of this controller from flags, by the names its module documents. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Brings a key of this controller up now, or after a time: for effects that learn of work by another way. */
  enqueue(key: string, afterMs?: number): void;
}

export type InformerOf<T extends ApiObject> = Informer<T>;
