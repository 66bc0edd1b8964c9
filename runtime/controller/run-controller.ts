import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { keyOf, type Scheme } from '../../api/kinds/scheme.ts';
import type { Timer } from '../../base/clock/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { isCoded, messageOf } from '../../base/errors/coded.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { Logger } from '../../base/log/logger.ts';
import { offMetrics } from '../../base/metrics/metrics.ts';
import type { Client } from '../client/client.ts';
import { linkSignals } from '../client/deadline.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Informer, InformerHold, Informers } from '../informer/informer.ts';
import { offJournal, type Journal, type JournalCause, type JournalEvent } from '../journal/journal.ts';
import { resourceName } from '../journal/requests.ts';
import type { PassInfo, QueueStats, WorkQueue, WorkQueueFactory } from '../queue/work-queue.ts';
import type { ControllerContext, ControllerDefinition, Watch } from './controller.ts';
import { checkEffects } from './define.ts';
import { logPass } from './log.ts';
import type { ControllerMetrics } from './metrics.ts';
import { createPace, type Pace, type Turns } from './pace.ts';
import { createPasses, type Passes, type PassResult } from './pass.ts';

export interface ControllerDependencies extends Environment {
  readonly client: Client;
  readonly scheme: Scheme;
  readonly informers: Informers;
  readonly queues: WorkQueueFactory;
  readonly events: EventRecorder;
  /** Whether no other process runs the controller for as long as this one does. Default false. */
  readonly alone?: boolean;
  /** Default off. */
  readonly journal?: Journal;
  readonly metrics?: ControllerMetrics;
  /** Shared by the controllers of a process. Default: this one gives way to nobody. */
  readonly pace?: Pace;
}

export interface RunningController extends Lifetime {
  readonly definition: ControllerDefinition;
  /** Why it does not work as it should, one phrase each; empty when it does. */
  problems(): readonly string[];
  stats(): QueueStats;
  /** What it watches; empty before its start. */
  watches(): readonly Watch[];
  enqueue(key: string, afterMs?: number): void;
  /** Brings up the keys of everything watched, as a resync does; no effect before keys are taken. */
  bringAllUp(): void;
  /** Who leads, as far as is known here; only of a controller that one process runs at a time. */
  leader?(): Leadership | undefined;
}

/** The holder of a controller's lease. */
export interface Leadership {
  readonly holder: string;
  /** Whether it is this process, and its term is not over. */
  readonly own: boolean;
  /** How often the lease went from one holder to another. */
  readonly transitions: number;
  /** When the holder acquired it, wall time; undefined where the lease does not say. */
  readonly sinceMs?: number;
}

const DEFAULT_CONCURRENCY = 5;
const DEFAULT_RESYNC_MS = 10 * 3_600_000;
const DEFAULT_PASS_TIMEOUT_MS = 120_000;

/**
 * Runs one controller. `start` subscribes to the informers, waits until their caches are filled and then takes keys;
 * where the server does not serve what is watched, it says so and resolves, and keys are taken once all of it has come.
 * It rejects when the definition's effects and machine do not match. `stop` waits for the passes in work.
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
  /** The informers that it and its effects use: released when it stops. */
  readonly #held: InformerHold;
  #watches: readonly Watching[] = [];
  /** Those that came later. */
  readonly #followed = new Set<Followed>();
  /** True from when a key mapping reads a cache that is not filled until all keys are mapped again. */
  #mappedEarly = false;
  /** Those that the server did not serve when it was asked first. */
  readonly #awaited = new Set<Informer<ApiObject>>();
  #passes: Passes | undefined;
  /** What the effects were made with. */
  #shared: ControllerContext | undefined;
  readonly #unsubscribe = new Set<() => void>();
  #resync: Timer | undefined;
  readonly #turns: Turns;
  #passCount = 0;
  /** When each pass began that is not done. */
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
    this.#turns = definition.punctual === true ? pace.promises() : pace.turns();
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
    this.#passes = createPasses({
      controller: this.name,
      machine: this.definition.machine,
      effects,
      timeoutMs: this.definition.passTimeoutMs ?? DEFAULT_PASS_TIMEOUT_MS,
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
      this.#log.error({ err: messageOf(thrown) }, 'controller did not start');
    await Promise.race([taking, this.#unserved().then(() => void taking.catch(later))]);
  }

  async #takeKeys(): Promise<void> {
    if (!(await this.#synced())) return;
    await this.#queue.run(
      (key, info) => this.#pass(key, info),
      (change) => this.#bringAllUp(change),
    );
    this.#running = true;
    this.#armResync();
  }

  /** `jobs.batch`, as served. */
  #resourceOf({ kind }: { readonly kind: Pick<Watch['kind'], 'plural' | 'group'> }): string {
    return resourceName(kind.plural, this.#dependencies.scheme.vocabulary.group(kind.group));
  }

  /** Resolves once the server has said of anything watched that it does not serve it, and says so. */
  #unserved(): Promise<void> {
    return new Promise((resolve) => {
      for (const { watch, informer } of this.#watches)
        void informer.served(this.#stopped.signal).then(
          (served) => {
            if (served) return;
            this.#awaited.add(informer);
            const reason = `waits for ${this.#resourceOf(watch)}, which the server does not serve`;
            this.#log.warn({ resource: this.#resourceOf(watch) }, 'controller waits for a resource');
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
    this.#passes?.stopAll();
    this.#running = false;
    await Promise.all([this.#held.close(), ...[...this.#followed].map(({ held }) => held.close())]);
    if (isFirst) this.#note({ kind: 'stopped', key: '' });
  }

  problems(): readonly string[] {
    const unsynced = this.#watches
      .filter(({ informer }) => !informer.synced)
      .map(({ informer }) =>
        this.#awaited.has(informer)
          ? `${this.name}: waits for ${this.#resourceOf(informer)}, which the server does not serve`
          : `${this.name}: cache of ${informer.kind.plural} is not filled`,
      );
    if (unsynced.length > 0) return unsynced;
    const undeclared = this.#held.held().filter(({ synced, readEarly }) => !synced && readEarly);
    if (undeclared.length > 0)
      return undeclared.map(
        ({ name }) =>
          `${this.name}: reads the cache of ${name}, which is not filled and which it does not watch`,
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

  enqueue(key: string, afterMs = 0): void {
    if (this.#stopped.aborted) return;
    this.#note({ kind: 'enqueued', key, ...(afterMs > 0 && { ms: afterMs }) });
    this.#queue.addAfter(key, afterMs);
  }

  bringAllUp(): void {
    if (this.#running) this.#bringAllUp();
  }

  /** For the sake of a change, which the journal tells. */
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
    // Held apart: what the effects hold of the same kind does not end with this watch, nor the other way round.
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
    const bringUp = (
      type: JournalCause['type'],
      object: DeepReadonly<ApiObject>,
      previous?: DeepReadonly<ApiObject>,
    ): void => {
      const change = changeOf(type, watch, object);
      for (const key of this.#keysOf(watch, object, previous))
        this.#enqueue(key, () => this.#causeOf(type, watch, object), change);
    };
    const unsubscribe = informer.subscribe({
      onApply: (object, previous) => bringUp(previous ? 'MODIFIED' : 'ADDED', object, previous),
      onDelete: (object) => bringUp('DELETED', object),
    });
    this.#unsubscribe.add(unsubscribe);
    return () => {
      this.#unsubscribe.delete(unsubscribe);
      unsubscribe();
    };
  }

  #causeOf(type: JournalCause['type'], { kind }: Watch, object: DeepReadonly<ApiObject>): JournalCause {
    const resource = this.#resourceOf({ kind });
    const name = keyOf(object as ApiObject);
    const { resourceVersion } = object.metadata ?? {};
    return resourceVersion === undefined
      ? { type, resource, object: name }
      : { type, resource, object: name, resourceVersion };
  }

  /**
   * A mapping that throws loses the change, not the controller: the next resync enqueues the key. One that has read a
   * cache before it was filled is run again when that is filled.
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
        this.#mapAgain();
        return [];
      }
      const ref = `${kind.plural} ${keyOf(object as ApiObject)}`;
      this.#log.error({ ref, err: messageOf(thrown) }, 'keys of a watched object failed');
      return [];
    }
  }

  /**
   * Enqueues all keys once more as soon as the caches that a mapping has read too early are filled: until then it could
   * not know the keys.
   */
  #mapAgain(): void {
    if (this.#mappedEarly) return;
    this.#mappedEarly = true;
    const early = this.#held.held().filter(({ synced, readEarly }) => !synced && readEarly);
    void Promise.all(early.map((informer) => informer.ready(this.#stopped.signal))).then(
      () => {
        this.#mappedEarly = false;
        this.#bringAllUp();
      },
      () => {},
    );
  }

  /** Whether all caches are filled; false when the controller was stopped before. */
  async #synced(): Promise<boolean> {
    try {
      await Promise.all(this.#watches.map(({ informer }) => informer.ready(this.#stopped.signal)));
    } catch (thrown) {
      if (!this.#stopped.aborted) throw thrown;
    }
    return !this.#stopped.aborted;
  }

  /** Brings every key of every watch up again, now and then: heals what the queue or a mapping has lost. */
  #armResync(): void {
    const resyncMs = this.definition.resyncMs ?? DEFAULT_RESYNC_MS;
    if (resyncMs <= 0 || this.#watches.length === 0) return;
    const { clock, random } = this.#dependencies;
    this.#resync = clock.setTimeout(
      () => {
        this.#bringAllUp();
        this.#armResync();
      },
      resyncMs * (0.9 + 0.2 * random.next()),
    );
  }

  #bringAllUp(change?: string): void {
    for (const { watch, informer } of [...this.#watches, ...this.#followed])
      for (const object of informer.synced ? informer.store.list() : [])
        for (const key of this.#keysOf(watch, object, undefined))
          this.#enqueue(key, () => this.#causeOf('RESYNC', watch, object), change);
  }

  #ages(): readonly number[] {
    const nowMs = this.#dependencies.clock.monotonic();
    return [...this.#began.values()].map((beganMs) => nowMs - beganMs);
  }

  async #pass(key: string, info: PassInfo): Promise<void> {
    const { clock, metrics } = this.#dependencies;
    const passes = this.#passes;
    if (passes === undefined) return;
    const turn = this.#turns.take(key);
    if (turn !== undefined) await turn;
    const passId = `${this.name}-${++this.#passCount}`;
    const retries = this.#queue.retries(key);
    const startedMs = clock.monotonic();
    this.#began.set(passId, startedMs);
    if (this.#journal.enabled)
      this.#journal.record({ kind: 'pass.started', controller: this.name, key, passId, retries });
    const result = await passes.run({ key, passId, retries, signal: info.signal, check: info.check });
    this.#turns.done(key, result);
    this.#began.delete(passId);
    const ms = clock.monotonic() - startedMs;
    const retryMs = this.#settle(key, result);
    metrics?.passFinished(this.name, result.outcome, ms, info.waitedMs);
    if (this.#shared) this.definition.afterPass?.(this.#shared, { key, outcome: result.outcome, ms });
    if (this.#journal.enabled) this.#journalEnd(key, passId, result, ms, retryMs);
    const retry = retryMs === undefined ? {} : { retryMs };
    logPass(this.#log, { key, passId, ms, waitedMs: info.waitedMs, retries, ...retry }, result);
  }

  /** Tells the queue what the outcome asks for; gives the delay of a retry. */
  #settle(key: string, result: PassResult): number | undefined {
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

  #journalEnd(
    key: string,
    passId: string,
    result: PassResult,
    ms: number,
    retryMs: number | undefined,
  ): void {
    const afterMs = result.outcome === 'requeue' ? result.afterMs : retryMs;
    this.#journal.record({
      kind: 'pass.finished',
      controller: this.name,
      key,
      passId,
      outcome: result.outcome,
      ms,
      ...(afterMs === undefined ? {} : { nextMs: this.#dependencies.clock.now() + afterMs }),
      ...(result.outcome === 'failed' ? { error: result.error } : {}),
      ...(result.outcome === 'requeue'
        ? { reason: `${result.reason} (after ${Math.round(result.afterMs)} ms)` }
        : {}),
    });
  }
}

/** The change by a name that is the same in every process; none for an object that no server has stored. */
function changeOf(
  type: JournalCause['type'],
  { kind }: Watch,
  { metadata }: DeepReadonly<ApiObject>,
): string | undefined {
  const { uid, resourceVersion } = metadata ?? {};
  if (uid === undefined || resourceVersion === undefined) return undefined;
  return `${kind.plural} ${uid} ${type === 'DELETED' ? 'deleted' : resourceVersion}`;
}
