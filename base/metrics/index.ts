export {
  type Count,
  type Family,
  type Gauge,
  type Histogram,
  type Metrics,
  type Observed,
  createMetrics,
  exponentialBuckets,
  offMetrics,
} from './metrics.ts';
export { createProcessMetrics } from './process.ts';
