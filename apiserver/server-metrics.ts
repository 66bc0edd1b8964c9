import type { FeatureGates } from '../base/feature-gates/feature-gates.ts';
import type { Metrics } from '../base/metrics/index.ts';
import type { VersionInfo } from '../api/types/version.ts';
import type { Registry } from './registry/registry.ts';

interface ServerMetricsOptions {
  readonly metrics: Metrics;
  /** Product name of the vocabulary, which is the prefix of metric names. */
  readonly product: string;
  readonly version: VersionInfo;
  readonly features: FeatureGates;
  readonly registry: Pick<Registry, 'counts'>;
}

/** Registers the metrics about the server itself: its build, its features and the number of stored objects. */
export function createServerMetrics(options: ServerMetricsOptions): void {
  registerBuild(options);
  registerFeatures(options);
  registerObjects(options);
}

/** Labels of the build metric, and the fields of `VersionInfo` that they contain. */
const BUILD_LABELS = {
  major: 'major',
  minor: 'minor',
  git_version: 'gitVersion',
  git_commit: 'gitCommit',
  git_tree_state: 'gitTreeState',
  build_date: 'buildDate',
  go_version: 'goVersion',
  compiler: 'compiler',
  platform: 'platform',
} as const;

function registerBuild({ metrics, product, version }: ServerMetricsOptions): void {
  const build = metrics.gauge(
    `${product}_build_info`,
    "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which it was built, and platform on which it is running.",
    Object.keys(BUILD_LABELS),
  );
  build.at(...Object.values(BUILD_LABELS).map((field) => version[field])).set(1);
}

function registerFeatures({ metrics, product, features }: ServerMetricsOptions): void {
  const enabled = metrics.gauge(
    `${product}_feature_enabled`,
    'This metric records the data about the stage and enablement of a feature.',
    ['name', 'stage'],
  );
  for (const { name, stage, enabled: on } of features.states)
    enabled.at(name, stage === 'ga' ? '' : stage.toUpperCase()).set(on ? 1 : 0);
}

function registerObjects({ metrics, registry }: ServerMetricsOptions): void {
  const objects = metrics.gauge(
    'apiserver_storage_objects',
    'Number of stored objects at the time of last check split by kind.',
    ['resource'],
    { stability: 'STABLE' },
  );
  const known = new Set<string>();
  metrics.beforeExpose(() => {
    const counts = registry.counts();
    // Without this reset, a removed kind would keep its last count.
    for (const resource of known) if (!counts.has(resource)) objects.at(resource).set(0);
    for (const [resource, count] of counts) {
      known.add(resource);
      objects.at(resource).set(count);
    }
  });
}
