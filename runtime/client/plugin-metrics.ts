import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Credentials } from './credentials.ts';

/** Result of a plugin run, with the label values of client-go. */
export type PluginResult =
  'no_error' | 'plugin_execution_error' | 'plugin_not_found_error' | 'client_internal_error';

/** Metrics of credential plugin runs. */
export interface PluginMetrics {
  /** Records a run. `exitCode` is 0 if and only if the run succeeded. */
  called(exitCode: number, result: PluginResult): void;
  /** Records new credentials, which replace `before`. */
  replaced(before: Credentials | undefined, credentials: Credentials): void;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/**
 * Bucket bounds in seconds, from certificates that are rotated too early to certificates that are rotated too
 * late.
 */
const AGES = [
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  4 * HOUR,
  DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
  1440 * DAY,
];

/**
 * Creates the series of client-go, see
 * https://github.com/kubernetes/client-go/blob/v0.24.0/plugin/pkg/client/auth/exec/metrics.go. All plugins of
 * a program share the series, which report the certificate that expires first.
 */
export function createPluginMetrics(metrics: Metrics, clock: Clock): PluginMetrics {
  const calls = metrics.counter(
    'rest_client_exec_plugin_call_total',
    'Number of calls to an exec plugin, partitioned by the type of event encountered (no_error, plugin_execution_error, plugin_not_found_error, client_internal_error) and an optional exit code. The exit code will be set to 0 if and only if the plugin call was successful.',
    ['code', 'call_status'],
  );
  const left = metrics
    .gauge(
      'rest_client_exec_plugin_ttl_seconds',
      'Gauge of the shortest TTL (time-to-live) of the client certificate(s) managed by the auth exec plugin. The value is in seconds until certificate expiry (negative if already expired). If auth exec plugins are unused or manage no TLS certificates, the value will be +INF.',
    )
    .at();
  const ages = metrics
    .histogram(
      'rest_client_exec_plugin_certificate_rotation_age',
      'Histogram of the number of seconds the last auth exec plugin client certificate lived before being rotated. If auth exec plugin client certificates are unused, histogram will contain no data.',
      [],
      AGES,
    )
    .at();
  /** Expiry times of the certificates in use, in milliseconds since the epoch. */
  const ends = new Map<Credentials, number>();
  metrics.beforeExpose(() => left.set((Math.min(...ends.values()) - clock.now()) / 1000));
  return {
    called: (exitCode, result) => calls.at(String(exitCode), result).add(1),
    replaced(before, credentials) {
      const old = before && validity(before);
      const now = validity(credentials);
      if (before) ends.delete(before);
      if (now) ends.set(credentials, now.toMs);
      if (old && before.certificate !== credentials.certificate)
        ages.observe((clock.now() - old.fromMs) / 1000);
    },
  };
}

/**
 * Returns the validity of a client certificate, or undefined without a readable certificate. An unreadable
 * certificate causes an error at the next connection instead.
 */
function validity({
  certificate,
}: Credentials): { readonly fromMs: number; readonly toMs: number } | undefined {
  if (certificate === undefined) return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(certificate);
    return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}
