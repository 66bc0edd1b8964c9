import { type Clock, type Timer } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Outbound, OutboundResponse } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { type ExportTraceServiceRequest, type Span, attributesOf } from './otlp.ts';
import { type TracedReconcile, spansOf } from './spans.ts';
import { type SpanContext, type SpanIds, parseTraceparent } from './trace-context.ts';

/** Options of `createTraceExporter`. */
export interface TraceExporterOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly outbound: Outbound;
  /** URL that receives the spans, with its path. */
  readonly url: URL;
  /** Name and version of the program, in `service.name` and `service.version`. */
  readonly service: { readonly name: string; readonly version: string; readonly instance: string };
  readonly ids: SpanIds;
  /**
   * Returns the `traceparent` of the requests that wrote the given resource versions, as far as they are known.
   * Default: none is known, so reconciles have no links.
   */
  readonly contextsOf?: (resourceVersions: readonly string[]) => Promise<Readonly<Record<string, string>>>;
}

/** Exporter of traces over OTLP/HTTP. `stop` sends what is pending, once. */
export type TraceExporter = Lifetime;

const FLUSH_MS = 1_000;
/** Maximum number of finished reconciles that wait to be sent. Beyond it, new ones are dropped. */
const MAX_PENDING = 2_000;
/** Maximum number of running reconciles that are traced, and of keys that wait. */
const MAX_OPEN = 10_000;
/** Maximum number of entries of a reconcile that are traced. */
const MAX_ENTRIES = 600;
const MAX_CAUSES = 8;
/** Maximum number of reconciles of a request. */
const BATCH = 200;
const TIMEOUT_MS = 10_000;
/** Timeout once the program stops. */
const STOP_TIMEOUT_MS = 2_000;
/** Delays before a batch is sent again. After the last, it is dropped. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000] as const;
const MAX_RETRY_AFTER_MS = 30_000;
/** Responses after which a batch is sent again: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Creates an exporter that sends each reconcile of a journal as a trace to an OpenTelemetry collector. */
export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  return new OtlpExporter(options);
}

interface Open {
  readonly causes: readonly JournalEntry[];
  readonly entries: JournalEntry[];
}

class OtlpExporter implements TraceExporter {
  readonly name = 'trace exporter';
  readonly #options: TraceExporterOptions;
  readonly #waiting = new Map<string, JournalEntry[]>();
  readonly #running = new Map<string, Open>();
  #pending: TracedReconcile[] = [];
  readonly #count: (result: 'sent' | 'dropped', spans: number) => void;
  #unsubscribe: () => void = () => {};
  #timer: Timer | undefined;
  #sending: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #warned = false;

  constructor(options: TraceExporterOptions) {
    this.#options = options;
    const spans = options.metrics.counter(
      'controller_trace_reconciles_total',
      'Reconciles exported as traces, by result: sent to the collector, or dropped because it was too slow or failed.',
      ['result'],
    );
    this.#count = (result, by) => spans.at(result).add(by);
    this.#count('sent', 0);
    this.#count('dropped', 0);
  }

  start(): Promise<void> {
    this.#unsubscribe = this.#options.journal.subscribe((entry) => this.#collect(entry));
    this.#schedule();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#options.clock.clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#sending;
    if (this.#pending.length > 0) await this.#sendAll();
    await this.#options.outbound.close();
  }

  #collect(entry: JournalEntry): void {
    const { reconcileId } = entry;
    if (reconcileId === undefined) return this.#enqueued(entry);
    if (entry.kind === 'reconcile.started') return this.#begin(entry, reconcileId);
    const open = this.#running.get(reconcileId);
    if (open === undefined) return;
    const ends = entry.kind === 'reconcile.finished';
    if (ends || open.entries.length < MAX_ENTRIES) open.entries.push(entry);
    if (!ends) return;
    this.#running.delete(reconcileId);
    if (this.#pending.length >= MAX_PENDING) this.#count('dropped', 1);
    else this.#pending.push({ reconcileId, ...open });
  }

  #enqueued(entry: JournalEntry): void {
    if (entry.kind !== 'enqueued' || entry.cause === undefined) return;
    const name = `${entry.controller} ${entry.key}`;
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) {
      if (this.#waiting.size < MAX_OPEN) this.#waiting.set(name, [entry]);
      return;
    }
    waiting.push(entry);
    if (waiting.length > MAX_CAUSES) waiting.shift();
  }

  #begin(entry: JournalEntry, reconcileId: string): void {
    const name = `${entry.controller} ${entry.key}`;
    const causes = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    if (this.#running.size >= MAX_OPEN) this.#count('dropped', 1);
    else this.#running.set(reconcileId, { causes, entries: [entry] });
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#sending = this.#sendAll();
      void this.#sending.then(() => {
        if (!this.#stopping.signal.aborted) this.#schedule();
      });
    }, FLUSH_MS);
  }

  async #sendAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH);
      const isSent = await this.#send(batch);
      this.#count(isSent ? 'sent' : 'dropped', batch.length);
      if (isSent || !this.#stopping.signal.aborted) continue;
      this.#count('dropped', this.#pending.length);
      this.#pending = [];
    }
  }

  /** Sends a batch, with retries unless the exporter stops. Returns false if the collector did not accept it. */
  async #send(batch: readonly TracedReconcile[]): Promise<boolean> {
    const body = JSON.stringify(await this.#requestOf(batch));
    for (const retryMs of [...RETRY_MS, undefined]) {
      const result = await this.#attempt(body);
      if (result === 'accepted') return true;
      if (result === 'rejected' || retryMs === undefined || this.#stopping.signal.aborted) return false;
      await this.#pause(Math.max(retryMs, result.afterMs));
    }
    return false;
  }

  async #attempt(body: string): Promise<'accepted' | 'rejected' | { readonly afterMs: number }> {
    const { outbound, url } = this.#options;
    try {
      const response = await outbound.send(
        { origin: url.origin },
        {
          method: 'POST',
          path: url.pathname,
          headers: { 'content-type': 'application/json' },
          body,
          headersTimeoutMs: this.#stopping.signal.aborted ? STOP_TIMEOUT_MS : TIMEOUT_MS,
        },
      );
      await discard(response);
      if (response.status >= 200 && response.status < 300) {
        this.#warned = false;
        return 'accepted';
      }
      this.#warn(`HTTP ${response.status}`);
      return RETRIED.has(response.status) ? { afterMs: retryAfterMs(response) } : 'rejected';
    } catch (thrown) {
      this.#warn(messageOf(thrown));
      return { afterMs: 0 };
    }
  }

  /** Logs the first failure after a success. */
  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    const { log, url } = this.#options;
    log.warn({ url: `${url.origin}${url.pathname}`, reason }, 'collector did not accept traces');
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const end = (): void => {
        clock.clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = clock.setTimeout(end, ms);
      signal.addEventListener('abort', end);
    });
  }

  async #requestOf(batch: readonly TracedReconcile[]): Promise<ExportTraceServiceRequest> {
    const { service, ids } = this.#options;
    const contexts = await this.#contextsOf(batch);
    const spans: Span[] = batch.flatMap((each) => spansOf(each, ids, linksOf(each, contexts)));
    const attributes = attributesOf({
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instance,
    });
    const scope = { name: service.name, version: service.version };
    return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans }] }] };
  }

  async #contextsOf(batch: readonly TracedReconcile[]): Promise<Readonly<Record<string, string>>> {
    const { contextsOf } = this.#options;
    if (contextsOf === undefined) return {};
    const versions = new Set(batch.flatMap(({ causes }) => causes.flatMap(versionOf)));
    try {
      return versions.size === 0 ? {} : await contextsOf([...versions]);
    } catch {
      // Traces without links are better than none.
      return {};
    }
  }
}

const versionOf = ({ cause }: JournalEntry): readonly string[] =>
  cause?.resourceVersion === undefined || cause.type === 'RESYNC' ? [] : [cause.resourceVersion];

/** Returns the contexts of the requests that caused a reconcile, each once. */
function linksOf(
  { causes }: TracedReconcile,
  contexts: Readonly<Record<string, string>>,
): readonly SpanContext[] {
  const found = new Map<string, SpanContext>();
  for (const version of causes.flatMap(versionOf)) {
    const header = Object.hasOwn(contexts, version) ? contexts[version] : undefined;
    const context = header === undefined ? undefined : parseTraceparent(header);
    if (header !== undefined && context !== undefined) found.set(header, context);
  }
  return [...found.values()];
}

async function discard({ body }: OutboundResponse): Promise<void> {
  for await (const _ of body) break;
}

function retryAfterMs({ headers }: OutboundResponse): number {
  const seconds = Number(headers['retry-after']?.[0] ?? 0);
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, seconds * 1_000)) : 0;
}
