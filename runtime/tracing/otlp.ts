/**
 * JSON form of an OTLP request: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. 64-bit integers are
 * decimal strings, enumerations are numbers, identifiers are hexadecimal.
 */
export interface ExportTraceServiceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly Span[];
    }[];
  }[];
}

/** Attribute of a span or resource. */
export interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

/** One span. Times are nanoseconds since the epoch, in decimal. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number; readonly message: string };
}

/** Values of `SpanKind`. */
export const INTERNAL = 1;
export const CLIENT = 3;
/** Value of `StatusCode` for an error. */
const ERROR = 2;

/** Formats milliseconds as nanoseconds. Fractions of a microsecond are dropped, because a double has no more digits. */
export const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

/** Returns the attributes that have a value. */
export const attributesOf = (
  values: Readonly<Record<string, string | number | undefined>>,
): readonly KeyValue[] =>
  Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = String(value);
    return [{ key, value: typeof value === 'number' ? { intValue: text } : { stringValue: text } }];
  });

/** Returns the status of a failed span. */
export const failedBecause = (message: string): NonNullable<Span['status']> => ({ code: ERROR, message });
