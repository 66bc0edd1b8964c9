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

export type LevelSpec = DeepReadonly<PriorityLevelConfigurationSpec>;

export interface CountedFlow extends Flow {
  readonly counts: FlowCounts;
}

/** A priority level or a flow schema as an object, or as the server imagines one that must be. */
export interface Named<S> {
  readonly name: string;
  readonly uid: string;
  readonly spec: S;
}

export interface LevelSurroundings {
  readonly clock: Clock;
  readonly metrics: FlowControlMetrics;
  readonly waitLimitMs: number;
  /** Nothing waits or executes in a level that is no longer wanted. */
  readonly onDrained: (name: string) => void;
}

const SHARES = 30;

/** A priority level at work: outlives the changes of its object, and its deletion until it has drained. */
export class PriorityLevel {
  readonly name: string;
  /** Undefined: exempt from limits. */
  readonly queueSet: QueueSet<CountedFlow> | undefined;
  uid: string;
  spec: LevelSpec;
  /** Its object has gone; what it has in work goes on. */
  quiescing = false;
  readonly #surroundings: LevelSurroundings;
  readonly #gauges: LevelGauges | undefined;

  constructor({ name, uid, spec }: Named<LevelSpec>, surroundings: LevelSurroundings) {
    this.name = name;
    this.uid = uid;
    this.spec = spec;
    this.#surroundings = surroundings;
    if (spec.type === 'Exempt') return;
    this.#gauges = surroundings.metrics.level(name);
    const observer = new LevelObserver(this.#gauges, () => this.#onIdle());
    this.queueSet = new QueueSet(surroundings.clock, this.#configuration(1), observer);
  }

  get shares(): number {
    return this.spec.limited === undefined ? 0 : (this.spec.limited.assuredConcurrencyShares ?? SHARES);
  }

  get isIdle(): boolean {
    return this.queueSet === undefined || this.queueSet.isIdle;
  }

  /** Whether requests queue at all, and in more than one queue. */
  get distinguishes(): boolean {
    return (this.#queuing?.queues ?? 0) > 1;
  }

  setLimit(concurrencyLimit: number): void {
    if (this.queueSet === undefined || this.#gauges === undefined) return;
    const { queues = 1, queueLengthLimit = 1 } = this.#queuing ?? {};
    const now = this.#surroundings.clock.monotonic();
    this.#gauges.limit.set(concurrencyLimit);
    this.#gauges.waiting.setLimit(queues * queueLengthLimit, now);
    this.#gauges.executing.setLimit(concurrencyLimit, now);
    this.#gauges.seats.setLimit(concurrencyLimit, now);
    this.queueSet.configure(this.#configuration(concurrencyLimit));
  }

  /** Sets the gauges that are made only to be looked at. */
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
    return { queuing: this.#queuing, waitLimitMs: this.#surroundings.waitLimitMs, concurrencyLimit };
  }

  #onIdle(): void {
    if (this.quiescing) this.#surroundings.onDrained(this.name);
  }
}

/** Whether a level can be used: what the API refuses may still have been stored by an older release. */
export function isUsable({ name, spec }: Named<LevelSpec>): boolean {
  const exempt = spec.type === 'Exempt';
  if (exempt !== (spec.limited === undefined) || exempt !== (name === 'exempt')) return false;
  const response = spec.limited?.limitResponse;
  return exempt || (response?.type === 'Queue') === (response?.queuing !== undefined);
}

/** Flows remembered by a schema before all are forgotten. */
const MAX_FLOWS = 2_000;

/** Where the requests of one flow schema go. */
export class Route {
  readonly schema: string;
  readonly level: PriorityLevel;
  /** That tell a client, by uids, how its request was classified. */
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

  /** Made for the first request, so that schemas nobody uses show in no metric. */
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
