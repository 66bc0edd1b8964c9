import type { Whole } from '../../api/kinds/index.ts';
import { type Soon, toTheEnd } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Family, Histogram, Metrics, Observed } from '../../base/metrics/index.ts';
import type { OnAdmission } from '../registry/resource.ts';
import type { AdmissionPlugin, AdmissionRequest, Operation } from '../request.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Returns a function that wraps a plugin to measure its latency. */
export function createAdmissionMetrics(
  metrics: Metrics,
  clock: Clock,
): (plugin: AdmissionPlugin) => AdmissionPlugin {
  const seconds = metrics.histogram(
    'apiserver_admission_controller_admission_duration_seconds',
    'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    ['name', 'type', 'operation', 'rejected'],
    SECONDS,
    { stability: 'STABLE' },
  );
  return (plugin) => measured(plugin, seconds, clock);
}

/** Returns a function that records the latency of an admission phase, over all plugins. */
export function createAdmissionStepMetrics(metrics: Metrics): OnAdmission {
  const seconds = metrics.histogram(
    'apiserver_admission_step_admission_duration_seconds',
    'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    ['type', 'operation', 'rejected'],
    SECONDS,
    { stability: 'STABLE' },
  );
  const summary = metrics.summary(
    'apiserver_admission_step_admission_duration_seconds_summary',
    'Admission sub-step latency summary in seconds, broken out for each operation and API resource and step type (validate or admit).',
    ['type', 'operation', 'rejected'],
    [0.5, 0.9, 0.99],
  );
  const of = {
    admit: createByOutcome(observedAs('admit')),
    validate: createByOutcome(observedAs('validate')),
  };
  function observedAs(phase: 'admit' | 'validate') {
    return (operation: Operation, rejected: string): Observed => {
      const both = [seconds.at(phase, operation, rejected), summary.at(phase, operation, rejected)];
      return { observe: (value) => both.forEach((each) => each.observe(value)) };
    };
  }
  return (phase, operation, rejected, tookMs) => of[phase](operation, rejected).observe(tookMs / 1000);
}

/** Creates a cache of metrics by operation and outcome. It builds no string key for a lookup. */
function createByOutcome<T>(
  create: (operation: Operation, rejected: string) => T,
): (operation: Operation, rejected: boolean) => T {
  const refused = new Map<Operation, T>();
  const passed = new Map<Operation, T>();
  return (operation, rejected) => {
    const known = rejected ? refused : passed;
    let found = known.get(operation);
    if (found === undefined) known.set(operation, (found = create(operation, String(rejected))));
    return found;
  };
}

function measured(plugin: AdmissionPlugin, seconds: Family<Histogram>, clock: Clock): AdmissionPlugin {
  const { name, asksOthers = false } = plugin;
  const timed = (type: 'admit' | 'validate') => {
    const of = createByOutcome((operation, rejected) => seconds.at(name, type, operation, rejected));
    return (
      { operation, waited }: Pick<AdmissionRequest, 'operation' | 'waited'>,
      run: () => Soon<void>,
    ): Soon<void> => {
      const started = clock.monotonic();
      return toTheEnd(run, (rejected) => {
        const tookMs = clock.monotonic() - started;
        of(operation, rejected).observe(tookMs / 1000);
        if (asksOthers) waited?.(tookMs);
      });
    };
  };
  const admitted = timed('admit');
  const validated = timed('validate');
  // Plugins may be class instances, so their methods are bound.
  const mutate = plugin.mutate?.bind(plugin);
  const validate = plugin.validate?.bind(plugin);
  // Members that the plugin lacks are set to undefined, so that all plugins have one hidden class in V8 and
  // writes run fast.
  return {
    name,
    operations: plugin.operations,
    asksOthers,
    concerns: plugin.concerns?.bind(plugin),
    isIdle: plugin.isIdle?.bind(plugin),
    allocate: plugin.allocate?.bind(plugin),
    mutates: plugin.mutates?.bind(plugin),
    mutate: mutate && ((request, signal) => admitted(request, () => mutate(request, signal))),
    validate: validate && ((request, signal) => validated(request, () => validate(request, signal))),
  } satisfies Whole<AdmissionPlugin> as AdmissionPlugin;
}
