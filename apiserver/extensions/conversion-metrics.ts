import type { Clock } from '../../base/clock/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';

/**
 * Function that runs a conversion and records its duration. `from` and `to` are versions without their group.
 */
export type MeasuredConversion = <T>(
  conversion: { readonly definition: string; readonly from: string; readonly to: string },
  convert: () => Promise<T>,
) => Promise<T>;

/** Upper bounds of upstream's histogram buckets in seconds: 1 ms, doubled 14 times. */
const SECONDS = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);

/** Creates the metric for the duration of webhook conversions. */
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
