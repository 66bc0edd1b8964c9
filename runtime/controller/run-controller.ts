import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import { linkSignals } from '../../base/async/index.ts';
import type { Timer } from '../../base/clock/index.ts';
import { isCoded, messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { offMetrics } from '../../base/metrics/index.ts';
import type { Informer, InformerHold } from '../informer/informer.ts';
import { offJournal, type Journal } from '../journal/journal.ts';
import type { JournalCause, JournalEvent } from '../journal/entry.ts';
import { resourceName } from '../journal/requests.ts';
import type { ReconcileInfo, QueueStats, WorkQueue } from '../queue/work-queue.ts';
import type { ControllerContext, ControllerDefinition, Watch } from './controller.ts';
import { checkEffects } from './define.ts';
import { logReconcile } from './log.ts';
import { createPace, type Turns } from './pace.ts';
import { createReconciler, type Reconciler, type ReconcileResult } from './reconciler.ts';
import { causeOf, changeOf, finishedEvent } from './journal-events.ts';
import type { ControllerDependencies, RunningController } from './running-controller.ts';

const DEFAULT_CONCURRENCY = 5;
const DEFAULT_RESYNC_MS = 10 * 3_600_000;
const DEFAULT_RECONCILE_TIMEOUT_MS = 120_000;

/**
 * Creates one controller.
 *
 * `start` subscribes to the informers, waits until their caches are filled and then takes keys from the
 * queue. It rejects if the effects do not match the machine. If the server does not serve a watched kind,
 * `start` logs that and resolves; the controller takes keys once the server serves all kinds. `stop` waits
 * for running reconciles.
 */
export function createController(
  definition: ControllerDefinition,
  dependencies: ControllerDependencies,
): RunningController {
  return new Controller(definition, dependencies);
}

interface Watching {
  readonly watch: Watch;
  readonly informer: Informer<ApiObject>;
}

interface Followed extends Watching {
  readonly held: InformerHold;
}

class Controller implements RunningController {
  readonly definition: ControllerDefinition;
  readonly #dependencies: ControllerDependencies;
  readonly #log: Logger;
  readonly #journal: Journal;
  readonly #queue: WorkQueue;
  readonly #stopped = linkSignals();
  /** Informers used by the controller and its effects; released at the stop. */
  readonly #held: InformerHold;
  #watches: readonly Watching[] = [];
  /** Watches added after startup. */
  readonly #followed = new Set<Followed>();
  /** True from the first read of an unfilled cache by a key mapping until all keys were mapped again. */
  #mappedEarly = false;
  /** Informers whose kind the server did not serve at the first request. */
  readonly #awaited = new Set<Informer<ApiObject>>();
  #reconciler: Reconciler | undefined;
  /** Context passed to the effects. */
  #shared: ControllerContext | undefined;
  readonly #unsubscribe = new Set<() => void>();
  #resync: Timer | undefined;
  readonly #turns: Turns;
  #reconcileCount = 0;
  /** Start times of unfinished reconciles by reconcile ID, in milliseconds on the monotonic clock. */
  readonly #began = new Map<string, number>();
  #running = false;

  constructor(definition: ControllerDefinition, dependencies: ControllerDependencies) {
    this.definition = definition;
    this.#dependencies = dependencies;
    this.#log = dependencies.log.child({ controller: definition.name });
    this.#journal = dependencies.journal ?? offJournal;
    this.#held = dependencies.informers.hold();
    this.#queue = dependencies.queues.create(definition.name, {
      concurrency: definition.concurrency ?? DEFAULT_CONCURRENCY,
      alone: dependencies.alone ?? false,
      onCovered: (key) => this.#note({ kind: 'covered', key }),
      onRepeated: (key) => this.#note({ kind: 'repeated', key }),
    });
    const pace = dependencies.pace ?? createPace(dependencies.clock);
    this.#turns = definition.deadlineSensitive === true ? pace.deadlineSensitive() : pace.yielding();
    dependencies.metrics?.track(definition.name, this.#queue, () => this.#ages());
  }

  get name(): string {
    return this.definition.name;
  }

  async start(): Promise<void> {
    const context = this.#context();
    this.#shared = context;
    const effects = await this.definition.effects(context);
    checkEffects(this.name, this.definition.machine, effects);
    const { clock } = this.#dependencies;
    this.#reconciler = createReconciler({
      controller: this.name,
      machine: this.definition.machine,
      effects,
      timeoutMs: this.definition.reconcileTimeoutMs ?? DEFAULT_RECONCILE_TIMEOUT_MS,
      clock,
      log: this.#log,
      journal: this.#journal,
    });
    const watches = await this.definition.watches(context);
    if (this.#stopped.aborted) return;
    this.#watches = watches.map((watch) => ({
      watch,
      informer: this.#held.of(watch.kind, watch.scope),
    }));
    for (const { watch, informer } of this.#watches) this.#subscribe(watch, informer);
    const taking = this.#takeKeys();
    const later = (thrown: unknown): void =>
      this.#log.error({ err: messageOf(thrown) }, 'controller failed to start');
    await Promise.race([taking, this.#unserved().then(() => void taking.catch(later))]);
  }

  async #takeKeys(): Promise<void> {
    if (!(await this.#synced())) return;
    await this.#queue.run(
      (key, info) => this.#reconcile(key, info),
      (change) => this.#enqueueAll(change),
    );
    this.#running = true;
    this.#armResync();
  }

  /** Returns the resource name with its group, such as `jobs.batch`. */
  #resourceOf({ kind }: { readonly kind: Pick<Watch['kind'], 'plural' | 'group'> }): string {
    return resourceName(kind.plural, this.#dependencies.scheme.vocabulary.group(kind.group));
  }

  /** Resolves once the server turns out not to serve a watched kind, after logging the kind. */
  #unserved(): Promise<void> {
    return new Promise((resolve) => {
      for (const { watch, informer } of this.#watches)
        void informer.served(this.#stopped.signal).then(
          (served) => {
            if (served) return;
            this.#awaited.add(informer);
            const reason = `waiting for ${this.#resourceOf(watch)}, which the server does not serve`;
            this.#log.warn({ resource: this.#resourceOf(watch) }, 'controller waiting for a resource');
            this.#note({ kind: 'waiting', key: '', reason });
            resolve();
          },
          () => {},
        );
    });
  }

  async stop(): Promise<void> {
    const isFirst = !this.#stopped.aborted;
    this.#stopped.abort(new Error(`controller ${this.name} is stopping`));
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe.clear();
    this.#dependencies.clock.clearTimeout(this.#resync);
    this.#turns.release();
    await this.#queue.stop();
    this.#reconciler?.stopAll();
    this.#running = false;
    await Promise.all([this.#held.close(), ...[...this.#followed].map(({ held }) => held.close())]);
    if (isFirst) this.#note({ kind: 'stopped', key: '' });
  }

  problems(): readonly string[] {
    const unsynced = this.#watches
      .filter(({ informer }) => !informer.synced)
      .map(({ informer }) =>
        this.#awaited.has(informer)
          ? `${this.name}: waiting for ${this.#resourceOf(informer)}, which the server does not serve`
          : `${this.name}: cache of ${informer.kind.plural} is not filled`,
      );
    if (unsynced.length > 0) return unsynced;
    const undeclared = this.#held.held().filter(({ synced, readEarly }) => !synced && readEarly);
    if (undeclared.length > 0)
      return undeclared.map(
        ({ name }) => `${this.name}: reads the cache of ${name}, which is not filled and not in its watches`,
      );
    if (!this.#running) return [`${this.name}: not running`];
    const problem = this.#queue.problem();
    return problem === undefined ? [] : [`${this.name}: ${problem}`];
  }

  stats(): QueueStats {
    return this.#queue.stats();
  }

  watches(): readonly Watch[] {
    return [...this.#watches, ...this.#followed].map(({ watch }) => watch);
  }

  enqueue(key: string, afterMs = 0, requester?: string): void {
    if (this.#stopped.aborted) return;
    this.#note({
      kind: 'enqueued',
      key,
      ...(afterMs > 0 && { ms: afterMs }),
      ...(requester !== undefined && { reason: `requested by ${requester}` }),
    });
    this.#queue.addAfter(key, afterMs);
  }

  enqueueAll(): void {
    if (this.#running) this.#enqueueAll();
  }

  /** Enqueues a key because of an event; the journal records the event as the cause. */
  #enqueue(key: string, because: () => JournalCause, change?: string): void {
    if (this.#stopped.aborted) return;
    if (this.#journal.enabled)
      this.#journal.record({ kind: 'enqueued', controller: this.name, key, cause: because() });
    this.#queue.add(key, change);
  }

  #note(event: Omit<JournalEvent, 'controller'>): void {
    if (this.#journal.enabled) this.#journal.record({ controller: this.name, ...event });
  }

  #context(): ControllerContext {
    const { client, scheme, events, metrics, clock, random } = this.#dependencies;
    const { eventSource } = this.definition;
    return {
      client,
      scheme,
      informers: this.#held,
      events: eventSource === undefined ? events : events.from(eventSource),
      metrics: metrics?.ownOf(this.name) ?? offMetrics,
      clock,
      random,
      log: this.#log,
      enqueue: (key, afterMs) => this.enqueue(key, afterMs),
      follow: (watch) => this.#follow(watch),
      signal: this.#stopped.signal,
    };
  }

  #follow(watch: Watch): () => void {
    if (this.#stopped.aborted) return () => {};
    // A separate hold, because this watch and the effects may use the same informer and release it
    // independently.
    const held = this.#dependencies.informers.hold();
    const followed = { watch, held, informer: held.of(watch.kind, watch.scope) };
    this.#followed.add(followed);
    const unsubscribe = this.#subscribe(watch, followed.informer);
    return () => {
      if (!this.#followed.delete(followed)) return;
      unsubscribe();
      void held.close();
    };
  }

  #subscribe(watch: Watch, informer: Informer<ApiObject>): () => void {
    const enqueueKeys = (
      type: JournalCause['type'],
      object: DeepReadonly<ApiObject>,
      previous?: DeepReadonly<ApiObject>,
    ): void => {
      const change = changeOf(type, watch, object);
      for (const key of this.#keysOf(watch, object, previous))
        this.#enqueue(key, () => causeOf(type, this.#resourceOf(watch), object), change);
    };
    const unsubscribe = informer.subscribe({
      onApply: (object, previous) => enqueueKeys(previous ? 'MODIFIED' : 'ADDED', object, previous),
      onDelete: (object) => enqueueKeys('DELETED', object),
    });
    this.#unsubscribe.add(unsubscribe);
    return () => {
      this.#unsubscribe.delete(unsubscribe);
      unsubscribe();
    };
  }

  /**
   * Returns the keys that an event of an object enqueues. If the mapping throws, the change is lost until the
   * next resync and the controller continues. If it has read an unfilled cache, it runs again once the cache
   * is filled.
   */
  #keysOf(
    { keys, when, kind }: Watch,
    object: DeepReadonly<ApiObject>,
    previous: DeepReadonly<ApiObject> | undefined,
  ): readonly string[] {
    try {
      if (when !== undefined && !when(object, previous)) return [];
      return keys === undefined ? [keyOf(object as ApiObject)] : keys(object, previous);
    } catch (thrown) {
      if (isCoded(thrown, 'ERR_CACHE_NOT_FILLED')) {
        this.#remap();
        return [];
      }
      const ref = `${kind.plural} ${keyOf(object as ApiObject)}`;
      this.#log.error({ ref, err: messageOf(thrown) }, 'key mapping of a watched object failed');
      return [];
    }
  }

  /** Enqueues all keys once the caches that a mapping read too early are filled. */
  #remap(): void {
    if (this.#mappedEarly) return;
    this.#mappedEarly = true;
    const early = this.#held.held().filter(({ synced, readEarly }) => !synced && readEarly);
    void Promise.all(early.map((informer) => informer.ready(this.#stopped.signal))).then(
      () => {
        this.#mappedEarly = false;
        this.#enqueueAll();
      },
      () => {},
    );
  }

  /** Resolves to true once all caches are filled, or to false if the controller was stopped. */
  async #synced(): Promise<boolean> {
    try {
      await Promise.all(this.#watches.map(({ informer }) => informer.ready(this.#stopped.signal)));
    } catch (thrown) {
      if (!this.#stopped.aborted) throw thrown;
    }
    return !this.#stopped.aborted;
  }

  /**
   * Enqueues all keys of all watches periodically, which repairs changes that the queue or a mapping lost.
   */
  #armResync(): void {
    const resyncMs = this.definition.resyncMs ?? DEFAULT_RESYNC_MS;
    if (resyncMs <= 0 || this.#watches.length === 0) return;
    const { clock, random } = this.#dependencies;
    this.#resync = clock.setTimeout(
      () => {
        this.#enqueueAll();
        this.#armResync();
      },
      resyncMs * (0.9 + 0.2 * random.next()),
    );
  }

  #enqueueAll(change?: string): void {
    for (const { watch, informer } of [...this.#watches, ...this.#followed])
      for (const object of informer.synced ? informer.store.list() : [])
        for (const key of this.#keysOf(watch, object, undefined))
          this.#enqueue(key, () => causeOf('RESYNC', this.#resourceOf(watch), object), change);
  }

  #ages(): readonly number[] {
    const nowMs = this.#dependencies.clock.monotonic();
    return [...this.#began.values()].map((beganMs) => nowMs - beganMs);
  }

  async #reconcile(key: string, info: ReconcileInfo): Promise<void> {
    const { clock, metrics } = this.#dependencies;
    const reconciler = this.#reconciler;
    if (reconciler === undefined) return;
    const turn = this.#turns.take(key);
    if (turn !== undefined) await turn;
    const reconcileId = `${this.name}-${++this.#reconcileCount}`;
    const retries = this.#queue.retries(key);
    const startedMs = clock.monotonic();
    this.#began.set(reconcileId, startedMs);
    if (this.#journal.enabled)
      this.#journal.record({ kind: 'reconcile.started', controller: this.name, key, reconcileId, retries });
    const result = await reconciler.run({
      key,
      reconcileId,
      retries,
      signal: info.signal,
      check: info.check,
    });
    this.#turns.done(key, result);
    this.#began.delete(reconcileId);
    const ms = clock.monotonic() - startedMs;
    const retryMs = this.#settle(key, result);
    metrics?.reconcileFinished(this.name, result.outcome, ms, info.waitedMs);
    if (this.#shared) this.definition.afterReconcile?.(this.#shared, { key, outcome: result.outcome, ms });
    if (this.#journal.enabled) {
      const reconcile = { controller: this.name, key, reconcileId, ms };
      this.#journal.record(finishedEvent(reconcile, result, retryMs, clock.now()));
    }
    const retry = retryMs === undefined ? {} : { retryMs };
    logReconcile(this.#log, { key, reconcileId, ms, waitedMs: info.waitedMs, retries, ...retry }, result);
  }

  /** Requeues the key according to the outcome. Returns the delay of a retry in milliseconds. */
  #settle(key: string, result: ReconcileResult): number | undefined {
    switch (result.outcome) {
      case 'settled':
        this.#queue.forget(key);
        return undefined;
      case 'requeue':
        this.#queue.forget(key);
        this.#queue.addAfter(key, result.afterMs);
        return undefined;
      case 'failed':
        return this.#queue.addRateLimited(key);
    }
  }
}
