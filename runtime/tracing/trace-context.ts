import { createHash } from 'node:crypto';

/** Identity of a span: https://www.w3.org/TR/trace-context/#traceparent-header */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Parses a `traceparent` header. Returns undefined for an invalid one, which the recommendation ignores. */
export function parseTraceparent(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', rest] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/** Formats a `traceparent` header of a recorded trace. */
export const traceparent = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;

/** Identifiers of the spans of a process. They follow from the reconcile, so nothing is stored for them. */
export interface SpanIds {
  /** Returns the root span of a reconcile. */
  ofReconcile(reconcileId: string): SpanContext;
  /** Returns the span of an effect of a reconcile, which is the parent of its requests. */
  ofEffect(reconcileId: string, effect: string): SpanContext;
  /** Returns the span of an entry of a reconcile. */
  ofEntry(reconcileId: string, seq: number): SpanContext;
}

/** Creates the identifiers of a process. `seed` must differ between processes. */
export function createSpanIds(seed: string): SpanIds {
  const digest = (text: string, digits: number): string =>
    createHash('sha256').update(`${seed} ${text}`).digest('hex').slice(0, digits);
  const within = (reconcileId: string, name: string): SpanContext => ({
    traceId: digest(`trace ${reconcileId}`, 32),
    spanId: digest(`${reconcileId} ${name}`, 16),
  });
  return {
    ofReconcile: (reconcileId) => within(reconcileId, 'root'),
    ofEffect: (reconcileId, effect) => within(reconcileId, `effect ${effect}`),
    ofEntry: (reconcileId, seq) => within(reconcileId, `entry ${seq}`),
  };
}
