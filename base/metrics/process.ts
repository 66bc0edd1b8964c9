import type { Metrics } from './metrics.ts';

/** What the process takes, in the names that dashboards know; looked at when the metrics are asked for. */
export function createProcessMetrics(metrics: Metrics): void {
  const gauge = (name: string, help: string) => metrics.gauge(name, help).at();
  const resident = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
  const heap = gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.');
  const external = gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.');
  const lag = gauge(
    'nodejs_eventloop_utilization',
    'Share of time the event loop was busy since the last look.',
  );
  const cpu = metrics
    .counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.')
    .at();
  gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.').set(
    performance.timeOrigin / 1000,
  );
  metrics
    .gauge('nodejs_version_info', 'Node.js version info, with the versions of its time zone data.', [
      'version',
      'icu',
      'tz',
    ])
    .at(process.version, process.versions['icu'] ?? '', process.versions['tz'] ?? '')
    .set(1);
  let spent = 0;
  let utilization = performance.eventLoopUtilization();
  metrics.beforeExpose(() => {
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heap.set(memory.heapUsed);
    heapTotal.set(memory.heapTotal);
    external.set(memory.external);
    const now = performance.eventLoopUtilization();
    lag.set(performance.eventLoopUtilization(now, utilization).utilization);
    utilization = now;
    const { user, system } = process.cpuUsage();
    const total = (user + system) / 1_000_000;
    cpu.add(total - spent);
    spent = total;
  });
}
