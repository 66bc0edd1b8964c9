import type { JournalEntry } from '../journal/entry.ts';
import { CLIENT, INTERNAL, type Span, attributesOf, failedBecause, nanoseconds } from './otlp.ts';
import type { SpanContext, SpanIds } from './trace-context.ts';

/** Entries of one finished reconcile, and the entries that enqueued it. */
export interface TracedReconcile {
  readonly reconcileId: string;
  readonly causes: readonly JournalEntry[];
  readonly entries: readonly JournalEntry[];
}

/** Maximum number of spans of a reconcile. */
const MAX_SPANS = 500;

/**
 * Returns the spans of a reconcile: the reconcile, its states, its effects and their requests. The journal has no
 * input, output or body, so no attribute has one either.
 * @param links contexts of the requests that caused the reconcile
 */
export function spansOf(
  { reconcileId, causes, entries }: TracedReconcile,
  ids: SpanIds,
  links: readonly SpanContext[],
): readonly Span[] {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return [];
  const root = ids.ofReconcile(reconcileId);
  const { controller, key, retries } = first;
  const { outcome, reason, error } = last;
  return [
    {
      ...root,
      name: `reconcile ${controller}`,
      kind: INTERNAL,
      startTimeUnixNano: nanoseconds(first.atMs),
      endTimeUnixNano: nanoseconds(last.atMs),
      attributes: attributesOf({
        'controller.name': controller,
        'controller.key': key,
        'controller.reconcile.id': reconcileId,
        'controller.reconcile.retries': retries,
        'controller.reconcile.outcome': outcome,
        'controller.reconcile.reason': reason,
        'controller.reconcile.causes': causes.length,
      }),
      ...(links.length === 0 ? {} : { links }),
      ...(error === undefined ? {} : { status: failedBecause(error) }),
    },
    ...new InnerSpans(reconcileId, ids).of(entries).slice(0, MAX_SPANS - 1),
  ];
}

/** Spans below the root of one reconcile. */
class InnerSpans {
  readonly #reconcileId: string;
  readonly #ids: SpanIds;
  readonly #spans: Span[] = [];
  #state: JournalEntry | undefined;

  constructor(reconcileId: string, ids: SpanIds) {
    this.#reconcileId = reconcileId;
    this.#ids = ids;
  }

  of(entries: readonly JournalEntry[]): readonly Span[] {
    for (const entry of entries)
      switch (entry.kind) {
        case 'state':
          this.#leave(entry.atMs);
          this.#state = entry;
          break;
        case 'effect.done':
        case 'effect.failed':
          this.#effect(entry);
          break;
        case 'request':
          this.#request(entry);
          break;
        case 'reconcile.finished':
          this.#leave(entry.atMs);
          break;
        default:
      }
    return this.#spans;
  }

  #leave(endMs: number): void {
    const entered = this.#state;
    this.#state = undefined;
    if (entered === undefined) return;
    this.#spans.push({
      ...this.#ids.ofEntry(this.#reconcileId, entered.seq),
      parentSpanId: this.#ids.ofReconcile(this.#reconcileId).spanId,
      name: entered.state ?? '',
      kind: INTERNAL,
      startTimeUnixNano: nanoseconds(entered.atMs),
      endTimeUnixNano: nanoseconds(endMs),
      attributes: attributesOf({ 'controller.state': entered.state, 'controller.event': entered.event }),
    });
  }

  #effect({ state = '', atMs, ms = 0, error }: JournalEntry): void {
    const within =
      this.#state === undefined
        ? this.#ids.ofReconcile(this.#reconcileId)
        : this.#ids.ofEntry(this.#reconcileId, this.#state.seq);
    this.#spans.push({
      ...this.#ids.ofEffect(this.#reconcileId, state),
      parentSpanId: within.spanId,
      name: `effect ${state}`,
      kind: INTERNAL,
      startTimeUnixNano: nanoseconds(atMs - ms),
      endTimeUnixNano: nanoseconds(atMs),
      attributes: attributesOf({ 'controller.effect': state }),
      ...(error === undefined ? {} : { status: failedBecause(error) }),
    });
  }

  #request({ seq, state = '', atMs, ms = 0, request }: JournalEntry): void {
    if (request === undefined) return;
    const { verb, resource, object, code } = request;
    const status = /^\d{3}$/.test(code) ? Number(code) : undefined;
    this.#spans.push({
      ...this.#ids.ofEntry(this.#reconcileId, seq),
      parentSpanId: this.#ids.ofEffect(this.#reconcileId, state).spanId,
      name: `${verb} ${resource}`,
      kind: CLIENT,
      startTimeUnixNano: nanoseconds(atMs - ms),
      endTimeUnixNano: nanoseconds(atMs),
      attributes: attributesOf({
        'api.verb': verb,
        'api.resource': resource,
        'api.object': object,
        'http.response.status_code': status,
        'error.type': status === undefined ? code : undefined,
      }),
      ...(status !== undefined && status < 400 ? {} : { status: failedBecause(code) }),
    });
  }
}
