import type { Clock } from '../../base/clock/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';

/** Runs a conversion and observes its duration; `from` and `to` are versions without their group. */
export type MeasuredConversion = <T>(
  conversion: { readonly definition: string; readonly from: string; readonly to: string },
  convert: () => Promise<T>,
) => Promise<T>;

/** Histogram buckets: 1 ms, doubled fourteen times, as upstream. */
const SECONDS = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);

/** Creates the metric of webhook conversions. */
export function createConversionMetrics(metrics: Metrics, clock: Clock): MeasuredConversion {
  const seconds = metrics.histogram(
    'apiserver_crd_webhook_conversion_duration_seconds',
    'CRD webhook conversion duration in seconds',
    ['crd_name', 'from_version', 'to_version', 'succeeded'],
    SECONDS,
  );
  return async ({ definition, from, to }, convert) => {
    const started = clock.monotonic();
    let succeeded = false;
    try {
      const converted = await convert();
      succeeded = true;
      return converted;
    } finally {
      seconds.at(definition, from, to, String(succeeded)).observe((clock.monotonic() - started) / 1000);
    }
  };
}
