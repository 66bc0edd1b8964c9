import { builtinKinds, configMaps, deployments } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { type ResourceRegistry, type WriteContext, createRegistry } from '../../apiserver/registry/index.ts';
import { createMemoryStorage, stampResourceVersion } from '../../apiserver/storage/index.ts';
import { createSimulatedClock } from '../../base/clock/index.ts';
import { silentLogger } from '../../base/log/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
import { type Row, type Scale, timed, timedBoth, toFigure } from '../row.ts';
import { configMap } from '../rig/objects.ts';

const CONTAINERS = 100;
/**
 * Number of uncounted rounds. They are needed because code that is not compiled yet is several times slower.
 */
const WARM_UP = 150;

const context: WriteContext & { readonly force: boolean } = {
  user: { username: 'bench', groups: [] },
  dryRun: false,
  fieldManager: 'bench',
  fieldValidation: 'Strict',
  warn: () => {},
  signal: new AbortController().signal,
  force: false,
};

/** Returns a typical container with probes, ports, variables, mounts and limits. */
const container = (at: number): object => ({
  name: `c${at}`,
  image: `registry.example.com/team/app-${at}:1.2.3`,
  args: ['--port=8080', `--id=${at}`],
  ports: [{ name: 'http', containerPort: 8080 + at, protocol: 'TCP' }],
  env: [
    { name: 'MODE', value: 'a' },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ],
  resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 8080 + at }, periodSeconds: 10 },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
});

const deployment = (note: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd' }, annotations: { note } },
      spec: {
        containers: Array.from({ length: CONTAINERS }, (_, at) => container(at)),
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    },
  },
});

async function startRegistry() {
  const registry = createRegistry({
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    scheme: createScheme(vocabularyOf('orch'), builtinKinds),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
  });
  await registry.start();
  return registry;
}

const apply = (registry: ResourceRegistry, config: object): Promise<unknown> =>
  registry.patch('default', 'd', '', 'application/apply-patch+yaml', config, context);

/**
 * Returns the processor time of each apply in the registry in milliseconds. The rows for reads and writes
 * include the cost of the server around the registry.
 */
async function measureApply(scale: Scale, configs: readonly object[]): Promise<number[]> {
  const registry = await startRegistry();
  const kind = registry.of(deployments);
  const samples: number[] = [];
  const counted = scale === 'full' ? 300 : 20;
  for (let round = -WARM_UP; round < counted; round++) {
    const config = configs[Math.abs(round) % configs.length] ?? {};
    const { cpuMs } = await timedBoth(() => apply(kind, config));
    if (round >= 0) samples.push(cpuMs);
  }
  await registry.stop();
  return samples;
}

/** Returns the time of each create in microseconds, which includes field tracking. */
async function measureCreate(scale: Scale): Promise<number[]> {
  const registry = await startRegistry();
  const kind = registry.of(configMaps);
  const samples: number[] = [];
  for (let at = 0; at < (scale === 'full' ? 20_000 : 500); at++) {
    const body = configMap(`object-${at}`, 1_000);
    samples.push(1_000 * (await timed(() => kind.create('default', body, context))));
  }
  await registry.stop();
  return samples.slice(samples.length >> 2);
}

export const applyRow: Row = {
  name: 'apply',
  async measure(scale) {
    const what = `apply of ${CONTAINERS} containers`;
    const again = await measureApply(scale, [deployment('1')]);
    const changed = await measureApply(scale, [deployment('1'), deployment('2')]);
    const created = await measureCreate(scale);
    return [
      toFigure(`${what}, no change`, 'ms', { ours: again, ceiling: [] }, { atMost: 2 }),
      toFigure(`${what}, one field changed`, 'ms', { ours: changed, ceiling: [] }, { atMost: 2 }),
      toFigure('create in memory, tracked', 'µs', { ours: created, ceiling: [] }, { atMost: 100 }),
    ];
  },
};
