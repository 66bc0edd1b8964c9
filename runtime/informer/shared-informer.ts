import { type Actor, createActor, fromCallback, fromPromise } from 'xstate';
import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { isGone, isNotFound } from '../../api/status/api-error.ts';
import { backoffMs } from '../../base/clock/backoff.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { asError } from '../../base/errors/coded.ts';
import type { Logger } from '../../base/log/logger.ts';
import type { Random } from '../../base/random/random.ts';
import {
  type ReflectorEvent,
  type ReflectorInput,
  type ReflectorMachine,
  type Listed,
  type WatchInput,
  failureOf,
  reflectorMachine,
} from '../../machines/informer/reflector.ts';
import { toXStateClock } from '../actors/xstate-clock.ts';
import type { Client, Lister, WatchEvent } from '../client/client.ts';
import { type LinkedSignal, linkOf, linkSignals, orAborted } from '../client/deadline.ts';
import type { Informer, InformerHandler, InformerScope } from './informer.ts';
import { type Change, createObjectStore } from './object-store.ts';
import { createStreamReport } from './stream-report.ts';
import type { Transform } from './transform.ts';

/** How one informer does, for health, metrics and the dashboard. */
export interface InformerHealth {
  readonly name: string;
  readonly synced: boolean;
  readonly watching: boolean;
  /** Since the server was last heard of. */
  readonly silentMs: number;
  readonly objects: number;
  /** What keeps it from following: the last failure, until the server is heard of again. */
  readonly problem?: string;
}

/** What is worth counting about an informer. `informer` names kind and scope. */
export interface InformerMetrics {
  /** Given once, at the making of the informers: how they all do at the time of asking. */
  track?(read: () => readonly InformerHealth[]): void;
  /** A list came in. `missed`: deletions and changes that no watch had told of, 0 for the first list. */
  listed?(informer: string, objects: number, missed: number, ms: number): void;
  watchStarted?(informer: string): void;
  watchEnded?(informer: string, how: 'ended' | 'expired' | 'failed' | 'stopped'): void;
  event?(informer: string, type: string): void;
  handlerFailed?(informer: string): void;
}

export interface SharedInformerOptions<T extends ApiObject> {
  readonly client: Client;
  readonly kind: Kind<T>;
  readonly scope: InformerScope;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: InformerMetrics;
  /** Makes objects smaller before they are kept. */
  readonly transform: Transform;
  /** Told when it waits for a server that it could not reach. */
  readonly onUnreachable?: () => void;
  /** Told when the server has given it a list or taken its watch. */
  readonly onAnswered?: () => void;
  /** Waits of the reflector. */
  readonly reflector?: ReflectorInput;
  /** Shortest life time asked for a watch, seconds; up to twice as long is drawn. Default 300, as client-go has it. */
  readonly watchSeconds?: number;
}

/** An informer with its ends. */
export interface SharedInformer<T extends ApiObject> extends Informer<T> {
  /** What it follows: `pods`, `jobs.batch in default`. */
  readonly name: string;
  /** Whether a watch is open: false while listing or waiting. */
  readonly watching: boolean;
  /** Whether it waits for a server that it could not reach. */
  readonly unreachable: boolean;
  start(): void;
  /** Tries at once what it waits to try; without effect where it does not wait for a server out of reach. */
  retry(): void;
  stop(): Promise<void>;
}

/** A watch that ended sooner than this and without an event counts as a failure. */
const EARLY_MS = 1_000;

export function createSharedInformer<T extends ApiObject>(
  options: SharedInformerOptions<T>,
): SharedInformer<T> {
  return new RunningInformer(options);
}

/** What the machine of one informer does in the world. */
interface Reach {
  list(signal: AbortSignal): Promise<Listed>;
  watch(input: WatchInput, signal: LinkedSignal, send: SendBack): void;
  readonly random: Random;
}
/** By the system that an informer's actor is the root of. */
const reaches = new WeakMap<object, Reach>();

function reachOf(system: object): Reach {
  const reach = reaches.get(system);
  if (reach === undefined) throw new Error('a reflector runs without an informer');
  return reach;
}

/** One for all informers: to put a machine together costs more than the whole life of many an informer. */
const reflector = reflectorMachine.provide({
  actors: {
    list: fromPromise(({ signal, system }) => reachOf(system).list(signal)),
    watch: fromCallback<{ type: 'never' }, WatchInput>(({ input, sendBack, system }) => {
      const wanted = linkSignals();
      const send: SendBack = (event) => {
        // A watch that was given up must not say where its successor stands.
        if (!wanted.aborted) sendBack(event as never);
      };
      reachOf(system).watch(input, wanted, send);
      return () => wanted.abort(new Error('the watch is no longer wanted'));
    }),
  },
  delays: {
    backoff: ({ context, system }) =>
      backoffMs(context.attempt, reachOf(system).random, {
        baseMs: context.baseBackoffMs,
        maxMs: context.maxBackoffMs,
        jitter: 1,
      }),
  },
});

class RunningInformer<T extends ApiObject> implements SharedInformer<T> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly #options: SharedInformerOptions<T>;
  /** What of the kind is asked for, of the scope all but the namespace. */
  readonly #selection: Omit<InformerScope, 'namespace'>;
  readonly #log: Logger;
  readonly #writer = createObjectStore<T>();
  readonly #handlers = new Set<{ readonly handler: InformerHandler<T> }>();
  readonly #running = new Set<Promise<void>>();
  readonly #ready: Promise<void>;
  #becomeReady: () => void = () => {};
  readonly #served: Promise<boolean>;
  #answerServed: (served: boolean) => void = () => {};
  #actor: Actor<ReflectorMachine> | undefined;
  #heardAtMs: number;
  #hasSynced = false;
  /** Once one came they are trusted to come. */
  #bookmarks = false;

  constructor(options: SharedInformerOptions<T>) {
    const { kind, scope } = options;
    this.#options = options;
    const { namespace: _, ...selection } = scope;
    this.#selection = selection;
    this.kind = kind;
    this.name = nameOf(kind, scope);
    this.#log = options.log.child({ informer: this.name });
    this.#heardAtMs = options.clock.monotonic();
    this.#ready = new Promise((resolve) => (this.#becomeReady = resolve));
    this.#served = new Promise((resolve) => (this.#answerServed = resolve));
  }

  get store() {
    return this.#writer.store;
  }

  get synced(): boolean {
    return this.#hasSynced;
  }

  get watching(): boolean {
    return this.#actor?.getSnapshot().hasTag('watching') ?? false;
  }

  get unreachable(): boolean {
    const snapshot = this.#actor?.getSnapshot();
    return snapshot !== undefined && snapshot.hasTag('waiting') && snapshot.context.unreachable;
  }

  retry(): void {
    this.#actor?.send({ type: 'retry' });
  }

  silentMs(): number {
    return this.#options.clock.monotonic() - this.#heardAtMs;
  }

  ready(signal?: AbortSignal): Promise<void> {
    return signal === undefined ? this.#ready : orAborted(this.#ready, signal);
  }

  served(signal?: AbortSignal): Promise<boolean> {
    return signal === undefined ? this.#served : orAborted(this.#served, signal);
  }

  problem(): string | undefined {
    return this.#actor?.getSnapshot().context.lastError ?? undefined;
  }

  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void {
    this.#writer.index(name, values);
  }

  subscribe(handler: InformerHandler<T>): () => void {
    const entry = { handler };
    this.#handlers.add(entry);
    for (const object of this.store.list())
      this.#call(entry.handler, { type: 'apply', object, previous: undefined });
    return () => void this.#handlers.delete(entry);
  }

  start(): void {
    if (this.#actor !== undefined) return;
    const { clock, random, reflector: input = {} } = this.#options;
    const actor = createActor(reflector, { input, clock: toXStateClock(clock) });
    reaches.set(actor.system, {
      list: (signal) => this.#tracked(this.#list(signal)),
      watch: (input, signal, send) => void this.#tracked(this.#watch(input, signal, send)),
      random,
    });
    let state: unknown;
    actor.subscribe({
      next: ({ value, context }) => {
        if (value === state) return;
        state = value;
        if (value === 'backingOff') {
          this.#log.warn(
            { attempt: context.attempt, err: context.lastError },
            'informer waits after a failure',
          );
          if (context.unreachable) this.#options.onUnreachable?.();
        } else this.#log.debug({ state: value, version: context.version }, 'informer goes on');
      },
      error: (thrown: unknown) => this.#log.error({ err: asError(thrown) }, 'informer ended by a defect'),
    });
    this.#actor = actor;
    actor.start();
  }

  async stop(): Promise<void> {
    this.#actor?.stop();
    await Promise.allSettled(this.#running);
  }

  /** Lets `stop` wait for what is under way. */
  #tracked<R>(work: Promise<R>): Promise<R> {
    const settled: Promise<void> = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    return work;
  }

  #lister(): Lister<T> {
    const { client, kind, scope } = this.#options;
    return scope.namespace === undefined ? client.all(kind) : client.namespaced(kind, scope.namespace);
  }

  async #list(signal: AbortSignal): Promise<{ version: string }> {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonic();
    const { transform } = this.#options;
    const listed = await this.#lister()
      .list({ transform, signal, ...this.#selection })
      .catch((thrown: unknown) => {
        if (isNotFound(thrown)) this.#answerServed(false);
        throw thrown;
      });
    // Given up meanwhile: another list or watch writes to the store now.
    linkOf(signal).throwIfAborted();
    const first = !this.#hasSynced;
    const changes = this.#writer.replace(listed.items);
    this.#heard();
    this.#hasSynced = true;
    this.#tell(changes);
    metrics?.listed?.(
      this.name,
      listed.items.length,
      first ? 0 : changes.length,
      clock.monotonic() - startMs,
    );
    this.#becomeReady();
    this.#answerServed(true);
    this.#options.onAnswered?.();
    return { version: listed.resourceVersion };
  }

  async #watch({ version, ...limits }: WatchInput, signal: LinkedSignal, send: SendBack): Promise<void> {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonic();
    const report = createStreamReport({ clock, ...limits, bookmarks: this.#bookmarks, send });
    let events = 0;
    metrics?.watchStarted?.(this.name);
    try {
      const onOpen = (): void => this.#opened(signal, send);
      for await (const event of this.#openWatch(version, signal.signal, onOpen)) {
        if (signal.aborted) break;
        events++;
        this.#take(event);
        const next = (event.object as DeepReadonly<ApiObject>).metadata?.resourceVersion;
        if (next !== undefined) report.heard(next, event.type === 'BOOKMARK');
      }
      metrics?.watchEnded?.(this.name, signal.aborted ? 'stopped' : 'ended');
      report.end({ type: 'stream.ended', early: events === 0 && clock.monotonic() - startMs < EARLY_MS });
    } catch (thrown) {
      const how = signal.aborted ? 'stopped' : isGone(thrown) ? 'expired' : 'failed';
      metrics?.watchEnded?.(this.name, how);
      if (how === 'stopped') report.drop();
      else if (how === 'expired') report.end({ type: 'stream.expired' });
      else report.end({ type: 'stream.failed', ...failureOf(thrown) });
    }
  }

  /** The machine need not hear of it where there is nothing to forget. */
  #opened(signal: LinkedSignal, send: SendBack): void {
    if (signal.aborted) return;
    if (this.#actor?.getSnapshot().context.unreachable === true) send({ type: 'stream.opened' });
    this.#options.onAnswered?.();
  }

  #openWatch(version: string, signal: AbortSignal, onOpen: () => void): AsyncIterable<WatchEvent<T>> {
    const { random, transform, watchSeconds = 300 } = this.#options;
    return this.#lister().watch({
      transform,
      resourceVersion: version,
      allowWatchBookmarks: true,
      // Drawn, so that the watches of a process do not all end in the same moment.
      timeoutSeconds: Math.floor(watchSeconds * (1 + random.next())),
      signal,
      onOpen,
      ...this.#selection,
    });
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#heard();
    this.#options.metrics?.event?.(this.name, type);
    if (type === 'DELETED') this.#tell(this.#writer.remove(object));
    else if (type === 'BOOKMARK') this.#bookmarks = true;
    else this.#tell(this.#writer.apply(object));
  }

  #heard(): void {
    this.#heardAtMs = this.#options.clock.monotonic();
  }

  /** Handlers that subscribe while they are told have seen the store as it is already. */
  #tell(changes: readonly Change<T>[]): void {
    const entries = [...this.#handlers];
    for (const change of changes)
      for (const entry of entries) if (this.#handlers.has(entry)) this.#call(entry.handler, change);
  }

  #call(handler: InformerHandler<T>, change: Change<T>): void {
    try {
      if (change.type === 'apply') handler.onApply(change.object, change.previous);
      else handler.onDelete(change.object);
    } catch (thrown) {
      this.#options.metrics?.handlerFailed?.(this.name);
      this.#log.error({ err: asError(thrown) }, 'informer handler failed');
    }
  }
}

type SendBack = (event: ReflectorEvent) => void;

const nameOf = (kind: { group: string; plural: string }, scope: InformerScope): string =>
  [
    ...(scope.metadataOnly === true ? ['metadata of'] : []),
    kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`,
    ...(scope.namespace === undefined ? [] : [`in ${scope.namespace}`]),
    ...(scope.labelSelector === undefined ? [] : [`with labels ${scope.labelSelector}`]),
    ...(scope.fieldSelector === undefined ? [] : [`with fields ${scope.fieldSelector}`]),
  ].join(' ');
