import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type { PriorityLevelConfigurationSpec } from '../../api/types/flowcontrol-v1beta2.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { RequestInfo } from '../request.ts';
import type { SchemaSpec } from './classifier.ts';
import type { Queuing } from './dispatcher.ts';
import { LevelObserver } from './level-observer.ts';
import type { FlowControlMetrics, FlowCounts, LevelGauges } from './metrics.ts';
import type { Flow } from './queue.ts';
import { QueueSet } from './queue-set.ts';
import { hashFlow } from './shuffle-sharding.ts';

/** Read-only spec of a PriorityLevelConfiguration. */
export type LevelSpec = DeepReadonly<PriorityLevelConfigurationSpec>;

/** Flow with the metrics of its schema. */
export interface CountedFlow extends Flow {
  readonly counts: FlowCounts;
}

/** Priority level or flow schema, from an object or from the mandatory defaults. */
export interface Named<S> {
  readonly name: string;
  readonly uid: string;
  readonly spec: S;
}

/** Clock, metrics and limits of a priority level. */
export interface LevelEnvironment {
  readonly clock: Clock;
  readonly metrics: FlowControlMetrics;
  readonly waitLimitMs: number;
  /** Called once a deleted level has neither waiting nor executing requests. */
  readonly onDrained: (name: string) => void;
}

const SHARES = 30;

/**
 * Priority level in use. It persists through changes of its object, and after a deletion until its requests
 * have ended.
 */
export class PriorityLevel {
  readonly name: string;
  /** Queues of the level; undefined if the level is exempt from limits. */
  readonly queueSet: QueueSet<CountedFlow> | undefined;
  uid: string;
  spec: LevelSpec;
  /** True if the level's object was deleted while requests remained. */
  quiescing = false;
  readonly #environment: LevelEnvironment;
  readonly #gauges: LevelGauges | undefined;

  constructor({ name, uid, spec }: Named<LevelSpec>, environment: LevelEnvironment) {
    this.name = name;
    this.uid = uid;
    this.spec = spec;
    this.#environment = environment;
    if (spec.type === 'Exempt') return;
    this.#gauges = environment.metrics.level(name);
    const observer = new LevelObserver(this.#gauges, () => this.#onIdle());
    this.queueSet = new QueueSet(environment.clock, this.#configuration(1), observer);
  }

  get shares(): number {
    return this.spec.limited === undefined ? 0 : (this.spec.limited.assuredConcurrencyShares ?? SHARES);
  }

  get isIdle(): boolean {
    return this.queueSet === undefined || this.queueSet.isIdle;
  }

  /** True if the level has more than one queue, so that flows must be distinguished. */
  get distinguishes(): boolean {
    return (this.#queuing?.queues ?? 0) > 1;
  }

  setLimit(concurrencyLimit: number): void {
    if (this.queueSet === undefined || this.#gauges === undefined) return;
    const { queues = 1, queueLengthLimit = 1 } = this.#queuing ?? {};
    const now = this.#environment.clock.monotonic();
    this.#gauges.limit.set(concurrencyLimit);
    this.#gauges.waiting.setLimit(queues * queueLengthLimit, now);
    this.#gauges.executing.setLimit(concurrencyLimit, now);
    this.#gauges.seats.setLimit(concurrencyLimit, now);
    this.queueSet.configure(this.#configuration(concurrencyLimit));
  }

  /** Updates gauges that are computed only when metrics are read. */
  show(): void {
    const { queueSet } = this;
    if (queueSet === undefined) return;
    queueSet.refresh();
    const gauges = this.#gauges;
    if (gauges === undefined) return;
    gauges.progress.set(queueSet.progress);
    const { lastDispatch: last } = queueSet;
    gauges.dispatchProgress.set(last.progress);
    gauges.latestStart.set(last.start);
    gauges.starts.min.set(last.minStart);
    gauges.starts.max.set(last.maxStart);
    gauges.discountedStarts.min.set(last.minDiscounted);
    gauges.discountedStarts.max.set(last.maxDiscounted);
  }

  get #queuing(): Queuing | undefined {
    const queuing = this.spec.limited?.limitResponse?.queuing;
    if (queuing === undefined) return undefined;
    return {
      queues: queuing.queues ?? 64,
      handSize: queuing.handSize ?? 8,
      queueLengthLimit: queuing.queueLengthLimit ?? 50,
    };
  }

  #configuration(concurrencyLimit: number) {
    return { queuing: this.#queuing, waitLimitMs: this.#environment.waitLimitMs, concurrencyLimit };
  }

  #onIdle(): void {
    if (this.quiescing) this.#environment.onDrained(this.name);
  }
}

/** True if a level is valid. A release with weaker validation may have stored an invalid level. */
export function isUsable({ name, spec }: Named<LevelSpec>): boolean {
  const exempt = spec.type === 'Exempt';
  if (exempt !== (spec.limited === undefined) || exempt !== (name === 'exempt')) return false;
  const response = spec.limited?.limitResponse;
  return exempt || (response?.type === 'Queue') === (response?.queuing !== undefined);
}

/** Maximum number of cached flows of a schema. A full cache is cleared. */
const MAX_FLOWS = 2_000;

/** Flow schema and priority level to which a request is assigned. */
export class Route {
  readonly schema: string;
  readonly level: PriorityLevel;
  /** Response headers with the UIDs of the schema and the level. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #method: string | undefined;
  readonly #flows = new Map<string, CountedFlow>();
  readonly #metrics: FlowControlMetrics;
  #counts: FlowCounts | undefined;

  constructor(
    { name, uid, spec }: Named<SchemaSpec>,
    level: PriorityLevel,
    metrics: FlowControlMetrics,
    headerNames: { readonly schema: string; readonly level: string },
  ) {
    this.schema = name;
    this.level = level;
    this.headers = { [headerNames.schema]: uid, [headerNames.level]: level.uid };
    this.#method = spec.distinguisherMethod?.type;
    this.#metrics = metrics;
  }

  /**
   * Returns the schema's metrics. Created at the first request, so that unused schemas appear in no metric.
   */
  get counts(): FlowCounts {
    this.#counts ??= this.#metrics.flow(this.level.name, this.schema);
    return this.#counts;
  }

  flowOf(user: UserInfo, info: RequestInfo): CountedFlow {
    const distinguisher = this.#distinguish(user, info);
    const known = this.#flows.get(distinguisher);
    if (known !== undefined) return known;
    const { schema, counts } = this;
    const flow = { schema, distinguisher, hash: hashFlow(schema, distinguisher), counts };
    if (this.#flows.size >= MAX_FLOWS) this.#flows.clear();
    this.#flows.set(distinguisher, flow);
    return flow;
  }

  #distinguish(user: UserInfo, info: RequestInfo): string {
    if (!this.level.distinguishes) return '';
    if (this.#method === 'ByUser') return user.username;
    return this.#method === 'ByNamespace' ? info.namespace : '';
  }
}
