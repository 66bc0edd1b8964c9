import { join } from 'node:path';
import { vocabularyOf } from '../api/vocabulary/vocabulary.ts';
import { Lifetimes } from '../base/lifetime/lifetimes.ts';
import { createUndiciTransport } from '../runtime/client/undici-transport.ts';
import { loadKubeconfig } from '../runtime/client/kubeconfig.ts';
import { assembleControllers, controllerSettings } from './controllers.ts';
import { readRequired } from './files.ts';
import { controllerManagerFlags } from './flag-tables.ts';
import { UsageError, parseFlags } from './flags.ts';
import { createDashboard, dashboardMounts, pageSettings, underPaths } from './dashboard-parts.ts';
import { createHealthServer } from './health-server.ts';
import { leaderElection } from './leader-election.ts';
import { createLiveFiles } from './live-files.ts';
import { announcement, createEnvironment, runDaemon } from './program.ts';
import { provision } from './provision.ts';
import { schemeOf } from './scheme-of.ts';

/** `orch controller-manager`: the controllers against the API server of a client configuration. */
export async function controllerManager(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(controllerManagerFlags, argv);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const component = `${vocabulary.short}-controller-manager`;
  const environment = createEnvironment(component, flags.v);
  for (const warning of flags['feature-gates'].warnings) environment.log.warn({}, warning);
  return runDaemon(environment, async () => {
    const path =
      flags.kubeconfig === '' ? join(flags['data-dir'], 'controller-manager.conf') : flags.kubeconfig;
    const read = await loadKubeconfig(await readRequired(path), {
      path,
      readFile: readRequired,
      vocabulary,
      clock: environment.clock,
      environment: process.env,
    });
    const config = flags.master === '' ? read : { ...read, server: checkedAddress(flags.master) };
    const election = leaderElection(flags, {
      vocabulary,
      random: environment.random,
      sharesKeys: flags['redis-url'] !== '',
    });
    const { journal, handler, lifetimes } = createDashboard(
      { ...flags, dashboard: flags['healthz-dashboard'] },
      { scheme, environment, controllers: () => manager },
    );
    const live = createLiveFiles(environment);
    const manager = await assembleControllers({
      journal,
      scheme,
      environment,
      transport: createUndiciTransport(config),
      host: new URL(config.server).host,
      settings: await controllerSettings(
        flags,
        vocabulary,
        () => provision(flags['data-dir'], { vocabulary, hosts: [], environment }),
        live,
      ),
      flags,
      ...(election === undefined ? {} : { leaderElection: election }),
      ...(flags['orch-api-qps'] === 0 ? {} : { qps: flags['orch-api-qps'] }),
      ...(flags['orch-api-burst'] === 0 ? {} : { burst: flags['orch-api-burst'] }),
    });
    const mounts = dashboardMounts(handler, pageSettings(scheme, 'alone'));
    const health =
      flags['healthz-port'] === 0
        ? []
        : [createHealthServer(manager, flags['healthz-port'], underPaths(mounts))];
    const ready = announcement(() => `ready ${config.server} — ${manager.names.length} controllers run`);
    return new Lifetimes([...lifetimes, ...health, live, manager, ready], { clock: environment.clock });
  });
}

function checkedAddress(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(
      `invalid value ${JSON.stringify(given)} for --master: expected an address such as https://127.0.0.1:6443`,
    );
  return given.replace(/\/+$/, '');
}
