import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { Credentials } from './credentials.ts';

/** How a run of a credential plugin ended, in the words of the real client. */
export type PluginResult =
  'no_error' | 'plugin_execution_error' | 'plugin_not_found_error' | 'client_internal_error';

/** Counts what credential plugins do. */
export interface PluginMetrics {
  /** `exitCode` is 0 only where all went well. */
  called(exitCode: number, result: PluginResult): void;
  /** A plugin has given `credentials` instead of those it gave before. */
  replaced(before: Credentials | undefined, credentials: Credentials): void;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Rotated too soon, as it should be, and too late. */
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

/** In the names of release 1.24's client. One for all plugins of a program: the certificate that ends first is shown. */
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
  /** The times at which certificates end that are held now. */
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

/** Undefined where there is no certificate, or none that can be read: who connects with it says so. */
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
