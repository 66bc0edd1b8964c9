import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parsePolicy } from '../../apiserver/audit/policy.ts';
import { type AuditBackend, createLossReport } from '../../apiserver/audit/backend.ts';
import { type MetricDescription, type Metrics, createMetrics } from '../../base/metrics/metrics.ts';
import { createProcessMetrics } from '../../base/metrics/process.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { countHandshakeErrors } from '../../cli/server/serve.ts';
import { createJobSyncMetrics } from '../../controllers/job/job-metrics.ts';
import { attentionRules } from '../../controllers/attention/index.ts';
import { createControllers } from '../../controllers/index.ts';
import {
  assembleControllerManager,
  createInMemoryTransport,
  createMemoryQueues,
  createSpanIds,
  createTraceExporter,
  offJournal,
} from '../../runtime/index.ts';
import { createPluginMetrics } from '../../runtime/client/plugin-metrics.ts';
import { type World, createWorld } from '../world/world.ts';
import { cell, code, page, table } from './markdown.ts';

const POLICY = '{"apiVersion":"audit.orch.io/v1","kind":"Policy","rules":[{"level":"None"}]}';

const backend: AuditBackend = {
  name: 'none',
  process: () => true,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

/** Creates a world whose server has the flags under which all its metrics are declared. */
const createAuditedWorld = (): Promise<World> =>
  createWorld({
    controllers: [],
    assembly: {
      showHiddenMetrics: true,
      outbound: createInMemoryOutbound(() => undefined),
      audit: (metrics) => {
        createLossReport(metrics, silentLogger);
        return { policy: parsePolicy(POLICY, orchVocabulary), backend };
      },
    },
  });

/** Starts every controller in a world, so that each controller declares its metrics. */
async function managerMetrics(world: World): Promise<Metrics> {
  const metrics = createMetrics();
  createProcessMetrics(metrics);
  const environment = { clock: world.clock, random: createSeededRandom(2), log: silentLogger };
  createPluginMetrics(metrics, world.clock);
  // Declared with --otlp-endpoint only.
  createTraceExporter({
    ...environment,
    journal: offJournal,
    metrics,
    outbound: createInMemoryOutbound(() => undefined),
    url: new URL('http://127.0.0.1:4318/v1/traces'),
    service: { name: '', version: '', instance: '' },
    ids: createSpanIds(''),
  });
  // Declared with the first reconcile of a Job.
  createJobSyncMetrics(metrics);
  const peer = world.peerOf('admin', 'system:masters');
  const manager = assembleControllerManager({
    scheme: world.scheme,
    environment,
    transport: createInMemoryTransport({ handler: world.server.handler, clock: world.clock, peer }),
    component: 'controller-manager',
    queues: createMemoryQueues(environment),
    controllers: createControllers(world.settings).map((definition) => ({
      ...definition,
      // A controller has a separate registry, which ends with the controller.
      effects: (context) => definition.effects({ ...context, metrics }),
    })),
    selection: ['*', 'bootstrapsigner', 'tokencleaner', 'legacy-service-account-token-cleaner'],
    metrics,
    attention: attentionRules,
  });
  let isStarted = false;
  const started = manager.start().then(() => (isStarted = true));
  await world.eventually(() => isStarted);
  await started;
  let isStopped = false;
  const stopped = manager.stop().then(() => (isStopped = true));
  await world.eventually(() => isStopped);
  await stopped;
  return metrics;
}

const rowOf = ({ name, help, type, labels }: MetricDescription): readonly string[] => {
  const [, stability = '', text = ''] = /^\[(\w+)\] ?(.*)$/s.exec(help) ?? [];
  return [code(name), type, labels.map(code).join(', '), stability, cell(text)];
};

const HEAD = ['metric', 'type', 'labels', 'class', 'meaning'];

/**
 * Returns the page of metrics of the API server and of a controller manager. They are read from the
 * registries of programs in this process.
 */
export async function metricsPage(): Promise<string> {
  const world = await createAuditedWorld();
  try {
    countHandshakeErrors(world.server.metrics);
    const server = world.server.metrics.describe();
    const manager = (await managerMetrics(world)).describe();
    return page(
      'Metrics',
      'Names, labels and texts are those of Kubernetes 1.24 where that has the metric. A deprecated `STABLE` metric is hidden three releases after its deprecation, a deprecated `ALPHA` metric one release after it. `--show-hidden-metrics-for-version 1.23` shows for one more release what 1.24 hides.',
      '## API server',
      '`/metrics` of the API server. `etcd_request_duration_seconds` measures every call of the store, also where the store is the data folder. Reads that are served from memory are not calls.',
      table(HEAD, server.map(rowOf)),
      '## Controller manager',
      '`/metrics` at `--healthz-port`.',
      table(HEAD, manager.map(rowOf)),
    );
  } finally {
    await world.stop();
  }
}
