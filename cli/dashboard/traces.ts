import type { Environment } from '../../base/environment.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { PROGRAM_VERSION } from '../../base/version.ts';
import { createUndiciOutbound } from '../../runtime/client/index.ts';
import {
  type Journal,
  type Requester,
  type TraceExporterOptions,
  createSpanIds,
  createTraceExporter,
  traceparent,
} from '../../runtime/index.ts';
import { UsageError } from '../flags/flags.ts';

/** Sources of the traces. */
export interface TraceSources {
  readonly journal: Journal;
  readonly environment: Environment;
  readonly metrics: Metrics;
  /** Name of the program. */
  readonly component: string;
  readonly contextsOf?: TraceExporterOptions['contextsOf'];
}

/** Traces of the controllers: their exporter, and the header of their requests. */
export interface Traces {
  readonly lifetimes: readonly Lifetime[];
  readonly traceparentOf?: (requester: Requester) => string;
}

const SPANS_PATH = '/v1/traces';

/**
 * Returns the URL to which spans are sent. `/v1/traces` is appended to an endpoint without it, as for
 * `OTEL_EXPORTER_OTLP_ENDPOINT`. Throws `ERR_USAGE` for an invalid endpoint.
 */
export function spansUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const valid =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  // The endpoint is not repeated, because it may contain a password.
  if (!valid)
    throw new UsageError(
      'invalid --otlp-endpoint: expected a URL such as http://127.0.0.1:4318, without user, query and fragment',
    );
  if (!url.pathname.endsWith(SPANS_PATH)) url.pathname = url.pathname.replace(/\/$/, '') + SPANS_PATH;
  return url;
}

/** Creates the exporter for `--otlp-endpoint`. Without an endpoint there are no traces. */
export function createTraces(endpoint: string, sources: TraceSources): Traces {
  if (endpoint === '') return { lifetimes: [] };
  const url = spansUrl(endpoint);
  const { journal, environment, metrics, component, contextsOf } = sources;
  if (!journal.enabled)
    throw new UsageError('--otlp-endpoint needs a journal: --journal-entries must not be 0');
  const { clock, log, random } = environment;
  const instance = `${random.next()}${random.next()}`.replaceAll('0.', '');
  const ids = createSpanIds(instance);
  const exporter = createTraceExporter({
    journal,
    clock,
    log,
    metrics,
    outbound: createUndiciOutbound({ connections: 1 }),
    url,
    service: { name: component, version: PROGRAM_VERSION, instance },
    ids,
    ...(contextsOf === undefined ? {} : { contextsOf }),
  });
  return {
    lifetimes: [exporter],
    traceparentOf: ({ reconcileId, state }) => traceparent(ids.ofEffect(reconcileId, state)),
  };
}
