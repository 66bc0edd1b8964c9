import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import { isGone, isNotFound } from '../../api/status/index.ts';
import { type LinkedSignal, linkOf, orAborted } from '../../base/async/index.ts';
import { CodedError, asError } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import {
  type ReflectorContext,
  type ReflectorEvent,
  type WatchInput,
  failureOf,
  reflectorMachine,
} from '../../machines/informer/reflector.ts';
import { toFlat } from '../actors/flat-machine.ts';
import { type End, FlatRun } from '../actors/flat-run.ts';
import type { Lister, WatchEvent } from '../client/client.ts';
import type { InformerHandler, InformerScope } from './informer.ts';
import { type Change, createObjectStore } from './object-store.ts';
import { createStreamReport } from './stream-report.ts';
import type { InformerErrorCode, SharedInformerOptions, SharedInformer } from './informer-contract.ts';

/**
 * Minimum lifetime in milliseconds of a watch without events. A watch that ends earlier counts as a failure.
 */
const EARLY_MS = 1_000;

/** Creates one informer. The caller starts and stops it. */
export function createSharedInformer<T extends ApiObject>(
  options: SharedInformerOptions<T>,
): SharedInformer<T> {
  return new RunningInformer(options);
}

/**
 * Reflector machine shared by all informers. It runs without actors, because a watch may deliver thousands of
 * events.
 */
const reflector = toFlat(reflectorMachine, { list: undefined, watch: undefined }) ?? notFlat();

function notFlat(): never {
  throw new Error('the reflector machine is not flat, so informers cannot run it');
}

class RunningInformer<T extends ApiObject> implements SharedInformer<T> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly #options: SharedInformerOptions<T>;
  /** Scope without its namespace. */
  readonly #selection: Omit<InformerScope, 'namespace'>;
  readonly #log: Logger;
  readonly #writer = createObjectStore<T>(() => this.#failRead());
  readonly #handlers = new Set<{ readonly handler: InformerHandler<T> }>();
  readonly #running = new Set<Promise<void>>();
  readonly #ready: Promise<void>;
  #becomeReady: () => void = () => {};
  readonly #served: Promise<boolean>;
  #answerServed: (served: boolean) => void = () => {};
  #run: FlatRun<undefined> | undefined;
  #lastContactMs: number;
  #hasSynced = false;
  #readEarly = false;
  /** Last state that the reflector entered. */
  #state: string | undefined;
  /** True once a bookmark has arrived, which enables the shorter idle timeout. */
  #bookmarks = false;

  constructor(options: SharedInformerOptions<T>) {
    const { kind, scope } = options;
    this.#options = options;
    const { namespace: _, ...selection } = scope;
    this.#selection = selection;
    this.kind = kind;
    this.name = nameOf(kind, scope);
    this.#log = options.log.child({ informer: this.name });
    this.#lastContactMs = options.clock.monotonic();
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
    return this.#is('watching');
  }

  get unreachable(): boolean {
    return this.#is('waiting') && this.#context?.unreachable === true;
  }

  retry(): void {
    this.#run?.send({ type: 'retry' });
  }

  wake(): void {
    this.#run?.send({ type: 'wanted' });
  }

  get readEarly(): boolean {
    return this.#readEarly;
  }

  get size(): number {
    return this.#writer.count();
  }

  silentMs(): number {
    return this.#options.clock.monotonic() - this.#lastContactMs;
  }

  ready(signal?: AbortSignal): Promise<void> {
    return signal === undefined ? this.#ready : orAborted(this.#ready, signal);
  }

  served(signal?: AbortSignal): Promise<boolean> {
    return signal === undefined ? this.#served : orAborted(this.#served, signal);
  }

  problem(): string | undefined {
    return this.#context?.lastError ?? undefined;
  }

  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void {
    this.#writer.index(name, values);
  }

  subscribe(handler: InformerHandler<T>): () => void {
    const entry = { handler };
    this.#handlers.add(entry);
    for (const object of this.#writer.objects())
      this.#call(entry.handler, { type: 'apply', object, previous: undefined });
    return () => void this.#handlers.delete(entry);
  }

  start(): void {
    if (this.#run !== undefined) return;
    const { clock, random, reflector: input = {} } = this.#options;
    this.#run = new FlatRun(
      reflector,
      {
        clock,
        effects: {
          list: (_, signal) => this.#tracked(this.#list(signal)),
          watch: (of: WatchInput, signal) => this.#tracked(this.#watch(of, linkOf(signal))),
        },
        observer: { entered: (_, state) => this.#entered(state), effect: () => undefined },
        waits: { backoff: (ms) => ms + ms * random.next() },
      },
      undefined,
      (end) => this.#ended(end),
    );
    this.#run.start(input);
  }

  async stop(): Promise<void> {
    this.#run?.stop(STOPPED);
    await Promise.allSettled(this.#running);
  }

  #failRead(): never {
    this.#readEarly = true;
    throw new CodedError<InformerErrorCode>(
      'ERR_CACHE_NOT_FILLED',
      `the cache of ${this.name} is not filled; a controller that reads it must declare a watch of the same kind and scope`,
    );
  }

  get #context(): ReflectorContext | undefined {
    // Undefined before `start`.
    return this.#run?.context as ReflectorContext | undefined;
  }

  #is(tag: 'watching' | 'waiting'): boolean {
    return this.#run?.state.tags.includes(tag) ?? false;
  }

  #entered(state: string): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state !== 'backingOff')
      return this.#log.debug({ state, version: this.#context?.version }, 'informer state changed');
    const { attempt, lastError: err, unreachable = false } = this.#context ?? {};
    // An outage of the server is one line for all informers.
    const level = unreachable && this.#options.onUnreachable !== undefined ? 'debug' : 'warn';
    this.#log[level]({ attempt, err }, 'informer backs off after a failure');
    if (unreachable) this.#options.onUnreachable?.(err ?? '');
  }

  #ended(end: End): void {
    const thrown = 'error' in end ? end.error : new Error('the reflector has ended');
    if (thrown !== STOPPED)
      this.#log.error({ err: asError(thrown) }, 'informer stopped by an internal error');
  }

  /** Registers a promise that `stop` waits for. */
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
    // The reflector has aborted this list; a later list or watch may write to the store by now.
    linkOf(signal).throwIfAborted();
    const first = !this.#hasSynced;
    const changes = this.#writer.replace(listed.items);
    this.#noteContact();
    this.#hasSynced = true;
    this.#notify(changes);
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

  async #watch({ version, ...limits }: WatchInput, signal: LinkedSignal): Promise<void> {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonic();
    const send: SendBack = (event) => {
      // An aborted watch must not report a version; its successor does.
      if (!signal.aborted) this.#run?.send(event);
    };
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
        if (next !== undefined) report.observed(next, event.type === 'BOOKMARK');
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

  /**
   * Reports that the server has accepted the watch. The machine receives an event only after an outage,
   * because a transition costs more than a check.
   */
  #opened(signal: LinkedSignal, send: SendBack): void {
    if (signal.aborted) return;
    if (this.#context?.unreachable === true) send({ type: 'stream.opened' });
    this.#options.onAnswered?.();
  }

  #openWatch(version: string, signal: AbortSignal, onOpen: () => void): AsyncIterable<WatchEvent<T>> {
    const { random, transform, watchSeconds = 300 } = this.#options;
    return this.#lister().watch({
      transform,
      resourceVersion: version,
      allowWatchBookmarks: true,
      // Random, so that the watches of a process do not end at the same moment.
      timeoutSeconds: Math.floor(watchSeconds * (1 + random.next())),
      signal,
      onOpen,
      ...this.#selection,
    });
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#noteContact();
    this.#options.metrics?.event?.(this.name, type);
    if (type === 'DELETED') this.#notify(this.#writer.remove(object));
    else if (type === 'BOOKMARK') this.#bookmarks = true;
    else this.#notify(this.#writer.apply(object));
  }

  #noteContact(): void {
    this.#lastContactMs = this.#options.clock.monotonic();
  }

  /**
   * Notifies the handlers that were subscribed before the change. A handler that subscribes during the call
   * has already received the new state.
   */
  #notify(changes: readonly Change<T>[]): void {
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

const STOPPED = new Error('the informer was stopped');

const nameOf = (kind: { group: string; plural: string }, scope: InformerScope): string =>
  [
    ...(scope.metadataOnly === true ? ['metadata of'] : []),
    kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`,
    ...(scope.namespace === undefined ? [] : [`in ${scope.namespace}`]),
    ...(scope.labelSelector === undefined ? [] : [`with labels ${scope.labelSelector}`]),
    ...(scope.fieldSelector === undefined ? [] : [`with fields ${scope.fieldSelector}`]),
  ].join(' ');
