import { readFileSync, readdirSync } from 'node:fs';
import type { Metrics } from './metrics.ts';

/** Creates metrics of the process under common names. They are sampled at each exposition. */
export function createProcessMetrics(metrics: Metrics): void {
  const gauge = (name: string, help: string) => metrics.gauge(name, help).at();
  const resident = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
  const heap = gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.');
  const external = gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.');
  const lag = gauge(
    'nodejs_eventloop_utilization',
    'Share of time the event loop was busy since the last scrape.',
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
  createSystemMetrics(metrics);
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

/** Creates metrics that Linux reports in files. */
function createSystemMetrics(metrics: Metrics): void {
  if (process.platform !== 'linux') return;
  const gauge = (name: string, help: string) => metrics.gauge(name, help).at();
  const virtual = gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.');
  const open = gauge('process_open_fds', 'Number of open file descriptors.');
  const limit = gauge('process_max_fds', 'Maximum number of open file descriptors.');
  const most = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  if (most !== undefined) limit.set(Number(most));
  metrics.beforeExpose(() => {
    const kilobytes = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0;
    virtual.set(Number(kilobytes) * 1024);
    // Reading the directory opens an additional descriptor.
    open.set(readdirSync('/proc/self/fd').length - 1);
  });
}
