import { join } from 'node:path';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { Lifetimes } from '../../base/lifetime/index.ts';
import { PROGRAM_VERSION } from '../../base/version.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import {
  type ClientConfig,
  type PluginMetrics,
  createClient,
  createPluginMetrics,
  createUndiciTransport,
  loadKubeconfig,
} from '../../runtime/client/index.ts';
import { assembleControllers, controllerSettings } from './controllers.ts';
import { readIfThere, readRequired } from '../files/files.ts';
import { controllerManagerFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError, parseFlags } from '../flags/flags.ts';
import { PAGE_PATH } from '../../dashboard/index.ts';
import { createDashboard, dashboardMounts, pageSettings, underPaths } from '../dashboard/parts.ts';
import { createTraces } from '../dashboard/traces.ts';
import { createHealthServer } from './health-server.ts';
import { leaderElection } from './leader-election.ts';
import { createLiveFiles } from '../files/live-files.ts';
import { lookForOtherManager } from './other-manager.ts';
import { announcement, createEnvironment, runDaemon } from '../program/program.ts';
import { provision } from '../files/provision.ts';
import { schemeOf } from '../program/scheme-of.ts';

/** Runs `orch controller-manager`, the controllers for the API server of a client configuration. */
export async function controllerManager(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(controllerManagerFlags, argv);
  const scheme = schemeOf(flags.vocabulary);
  const environment = createEnvironment(`${scheme.vocabulary.short}-controller-manager`, flags.v);
  for (const warning of flags['feature-gates'].warnings) environment.log.warn({}, warning);
  return runDaemon(environment, () => assemble(flags, scheme, environment));
}

type Flags = FlagValues<typeof controllerManagerFlags>;

async function assemble(flags: Flags, scheme: Scheme, environment: Environment): Promise<Lifetimes> {
  const { vocabulary } = scheme;
  const { clock, random } = environment;
  const metrics = createMetrics();
  const config = await readServer(flags, vocabulary, clock, createPluginMetrics(metrics, clock));
  const sharesKeys = flags['redis-url'] !== '';
  const election = leaderElection(flags, {
    vocabulary,
    random,
    sharesKeys,
    dashboard: localDashboard(flags),
  });
  const { journal, handler, lifetimes } = createDashboard(
    { ...flags, dashboard: flags['healthz-dashboard'] },
    { scheme, environment, controllers: () => manager },
  );
  const component = `${vocabulary.short}-controller-manager`;
  const traces = createTraces(flags['otlp-endpoint'], { journal, environment, metrics, component });
  const live = createLiveFiles(environment);
  const transport = createUndiciTransport(config);
  const manager = await assembleControllers({
    ...(traces.traceparentOf === undefined ? {} : { traceparentOf: traces.traceparentOf }),
    journal,
    metrics,
    scheme,
    environment,
    transport,
    host: new URL(config.server).host,
    settings: await controllerSettings(
      flags,
      vocabulary,
      {
        provisioned: async () =>
          (await isOwnServer(flags, config))
            ? provision(flags['data-dir'], { vocabulary, hosts: [], environment })
            : undefined,
        serverCa: config.tls.ca,
      },
      live,
    ),
    flags,
    ...(election === undefined ? {} : { leaderElection: election }),
    ...(flags['orch-api-qps'] === 0 ? {} : { qps: flags['orch-api-qps'] }),
    ...(flags['orch-api-burst'] === 0 ? {} : { burst: flags['orch-api-burst'] }),
  });
  live.onChange(() => manager.enqueueAll());
  const mounts = underPaths(dashboardMounts(handler, pageSettings(vocabulary, 'alone')));
  const port = flags['healthz-port'];
  const health = port === 0 ? [] : [createHealthServer(manager, port, mounts)];
  const ready = announcement(() => `ready ${config.server} — ${manager.names.length} controllers run`);
  const userAgent = `${component}/${PROGRAM_VERSION}`;
  const others = lookForOtherManager(
    createClient({ scheme, transport, clock, log: environment.log, userAgent }),
    environment.log,
  );
  return new Lifetimes([...lifetimes, ...traces.lifetimes, ...health, live, manager, others, ready], {
    clock,
  });
}

/** Returns the address of the dashboard for processes on the same host; '' without a dashboard. */
const localDashboard = (flags: Flags): string =>
  flags['healthz-dashboard'] && flags['healthz-port'] !== 0
    ? `http://127.0.0.1:${flags['healthz-port']}${PAGE_PATH}/`
    : '';

/** Reads the address of the API server and the credentials of the manager. */
async function readServer(
  flags: Flags,
  vocabulary: Vocabulary,
  clock: Clock,
  pluginMetrics: PluginMetrics,
): Promise<ClientConfig> {
  const path =
    flags.kubeconfig === '' ? join(flags['data-dir'], 'controller-manager.conf') : flags.kubeconfig;
  const config = await loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary,
    clock,
    environment: process.env,
    pluginMetrics,
  });
  return flags.master === '' ? config : { ...config, server: checkedAddress(flags.master) };
}

/**
 * True if the API server uses the data directory. With another server, keys of the data directory would sign
 * tokens and certificates that the server rejects, and its authority would replace the server's in every
 * namespace.
 */
async function isOwnServer(flags: Flags, { tls }: ClientConfig): Promise<boolean> {
  if (flags.kubeconfig === '') return true;
  const authority = await readIfThere(join(flags['data-dir'], 'pki', 'ca.crt'));
  return authority !== undefined && (tls.ca ?? '').includes(authority.trim());
}

function checkedAddress(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(
      `invalid value ${JSON.stringify(given)} for --master: expected an address such as https://127.0.0.1:6443`,
    );
  return given.replace(/\/+$/, '');
}
