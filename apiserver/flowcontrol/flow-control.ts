import type { Enabled } from '../../api/features/features.ts';
import { flowSchemas, priorityLevelConfigurations } from '../../api/groups/flowcontrol-v1beta2.ts';
import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { RequestContext, RequestInfo } from '../request.ts';
import { Configuration } from './configuration.ts';
import { createDanglingMarks } from './dangling.ts';
import { debugTable } from './debug-tables.ts';
import { createFlowControlMetrics } from './metrics.ts';
import type { Named, PriorityLevel, Route } from './priority-level.ts';
import { type WatchTracker, createWatchTracker } from './watch-tracker.ts';
import { type WorkEstimate, createWorkEstimator } from './work.ts';

/** Registry, limits and environment of flow control. */
export interface FlowControlOptions {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly enabled: Enabled;
  /** Maximum number of requests that all limited levels together execute at a time. */
  readonly concurrencyLimit: number;
  /** Maximum time in milliseconds that a request waits in its queue. */
  readonly waitLimitMs: number;
  /** Restores flow-control objects that every cluster has and that were deleted or changed. */
  readonly restore: () => Promise<void>;
}

/** Time in milliseconds between a change of flow-control objects and the restoration of mandatory objects. */
const RESTORE_MS = 10_000;

/**
 * API Priority and Fairness
 * (https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness).
 * It assigns a level, a flow and a cost to each request, by FlowSchema and PriorityLevelConfiguration
 * objects. Mandatory schemas and levels apply from the first request on, even if their objects do not exist.
 */
export interface FlowControl extends Lifetime {
  readonly clock: Clock;
  readonly watches: WatchTracker;
  readonly levels: readonly PriorityLevel[];
  route(user: UserInfo, info: RequestInfo): Route;
  estimate(context: RequestContext, route: Route): WorkEstimate;
  /** Returns the text for a debugging path. Returns undefined for any other path. */
  debug(path: string, query: URLSearchParams): string | undefined;
}

/** Creates flow control. `start` subscribes to changes of its objects. */
export function createFlowControl(options: FlowControlOptions): FlowControl {
  return new ObjectFlowControl(options);
}

class ObjectFlowControl implements FlowControl {
  readonly name = 'priority and fairness';
  readonly clock: Clock;
  readonly watches = createWatchTracker();
  readonly #options: FlowControlOptions;
  readonly #configuration: Configuration;
  readonly #estimate;
  readonly #marks;
  #unsubscribe: (() => void)[] = [];
  #running = false;
  /** True if the objects have changed since they were last read. */
  #stale = false;
  #writing = false;
  /**
   * True if the objects were read again while statuses were being written; their statuses are written next.
   */
  #unmarked = false;
  #timer: Timer | undefined;

  constructor(options: FlowControlOptions) {
    const { registry, clock, vocabulary, enabled, concurrencyLimit, waitLimitMs } = options;
    this.#options = options;
    this.clock = clock;
    this.#configuration = new Configuration({
      clock,
      concurrencyLimit,
      waitLimitMs,
      metrics: createFlowControlMetrics(options.metrics, clock),
      headerNames: {
        schema: vocabulary.header('pf-flowschema-uid'),
        level: vocabulary.header('pf-prioritylevel-uid'),
      },
      onDrained: (name) => this.#configuration.forget(name),
    });
    this.#estimate = createWorkEstimator({
      countOf: (kind) => registry.count(kind),
      watchersOf: (info) => this.watches.interestedIn(info),
      enabled,
    });
    this.#marks = createDanglingMarks({ registry, clock });
    options.metrics.beforeExpose(() => {
      for (const level of this.levels) level.show();
    });
  }

  get levels(): readonly PriorityLevel[] {
    return this.#configuration.levels;
  }

  route(user: UserInfo, info: RequestInfo): Route {
    return this.#configuration.classifier.classify(user, info);
  }

  estimate(context: RequestContext, { counts }: Route): WorkEstimate {
    const work = this.#estimate(context, (watchers) => counts.watchers.observe(watchers));
    counts.width.observe(Math.max(work.initialSeats, work.finalSeats));
    return work;
  }

  debug(path: string, query: URLSearchParams): string | undefined {
    return debugTable(path, query, this.levels, this.clock);
  }

  start(): Promise<void> {
    const { registry } = this.#options;
    this.#running = true;
    const onChange = (): void => this.#changed();
    this.#unsubscribe = [
      registry.reader(flowSchemas).subscribe(onChange),
      registry.reader(priorityLevelConfigurations).subscribe(onChange),
    ];
    this.#read();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#running = false;
    for (const each of this.#unsubscribe.splice(0)) each();
    this.clock.clearTimeout(this.#timer);
    for (const { queueSet } of this.levels) queueSet?.close();
    return Promise.resolve();
  }

  /** Schedules one read for all changes that arrive in the same turn of the event loop. */
  #changed(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => {
      if (this.#running && this.#stale) this.#read();
    });
    this.#later(RESTORE_MS);
  }

  #read(): void {
    const { registry } = this.#options;
    this.#stale = false;
    const schemas = registry.reader(flowSchemas).list();
    const levels = registry.reader(priorityLevelConfigurations).list();
    this.#configuration.apply(levels.flatMap(toNamed), schemas.flatMap(toNamed));
    this.#unmarked = true;
    if (!this.#writing) void this.#mark();
  }

  /** Writes statuses until none is missing. Never runs concurrently, as each write causes a change event. */
  async #mark(): Promise<void> {
    const { registry } = this.#options;
    this.#writing = true;
    try {
      while (this.#unmarked && this.#running) {
        this.#unmarked = false;
        const levels = registry.reader(priorityLevelConfigurations);
        const exists = (name: string): boolean => levels.get('', name) !== undefined;
        const waitMs = await this.#marks.write(registry.reader(flowSchemas).list(), exists);
        if (waitMs > 0) this.#later(waitMs);
      }
    } catch (thrown) {
      this.#failed(thrown, 'failed to write the status of flow schemas');
    } finally {
      this.#writing = false;
    }
  }

  #failed(thrown: unknown, message: string): void {
    if (!this.#running) return;
    this.#options.log.warn({ err: thrown }, message);
    this.#later(RESTORE_MS);
  }

  /** Schedules the restoration and a new read of all objects. */
  #later(delayMs: number): void {
    if (!this.#running || this.#timer !== undefined) return;
    this.#timer = this.clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#restore();
    }, delayMs);
  }

  async #restore(): Promise<void> {
    try {
      await this.#options.restore();
      if (this.#running) this.#read();
    } catch (thrown) {
      this.#failed(thrown, 'failed to restore the objects of priority and fairness');
    }
  }
}

const toNamed = <S>({
  metadata,
  spec,
}: {
  readonly metadata?: DeepReadonly<ObjectMeta> | undefined;
  readonly spec?: S | undefined;
}): Named<S>[] =>
  spec === undefined ? [] : [{ name: metadata?.name ?? '', uid: metadata?.uid ?? '', spec }];
