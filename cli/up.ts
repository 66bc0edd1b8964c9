import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { vocabularyOf } from '../api/vocabulary/vocabulary.ts';
import type { ComponentHealth } from '../apiserver/aggregation/component-statuses.ts';
import { Lifetimes } from '../base/lifetime/lifetimes.ts';
import { createInMemoryTransport } from '../runtime/client/in-memory-transport.ts';
import { createDashboard } from './dashboard-parts.ts';
import { createLiveFiles } from './live-files.ts';
import { assembleControllers, controllerSettings, schemeOf } from './controllers.ts';
import { upFlags } from './flag-tables.ts';
import { parseFlags } from './flags.ts';
import { announcement, createEnvironment, runDaemon } from './program.ts';
import { provision } from './provision.ts';
import { createServed } from './serve.ts';

/** `orch up`: API server and controller manager in one process. Resolves with the exit code. */
export async function up(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(upFlags, argv);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const environment = createEnvironment(vocabulary.product, flags.v);
  return runDaemon(environment, async () => {
    const provisioned = await provision(flags['data-dir'], {
      vocabulary,
      hosts: [flags['bind-address']],
      environment,
    });
    const dashboard = createDashboard(flags, {
      scheme,
      environment,
      // Asked once requests come: server and controllers are there by then.
      controllers: () => controllers,
      server: () => served,
    });
    const health = (): ComponentHealth => {
      const { healthy, reasons } = controllers.healthy();
      return { healthy, message: healthy ? 'ok' : reasons.join(', ') };
    };
    const { mounts } = dashboard;
    const served = await createServed(flags, scheme, environment, provisioned, health, mounts);
    const { certificate } = provisioned.controllerManager;
    const live = createLiveFiles(environment);
    const controllers = await assembleControllers({
      scheme,
      environment,
      transport: createInMemoryTransport({
        handler: served.server.handler,
        clock: environment.clock,
        peer: { address: '127.0.0.1', certificate: new X509Certificate(certificate) },
      }),
      settings: await controllerSettings(flags, vocabulary, async () => provisioned, live),
      flags,
      journal: dashboard.journal,
    });
    const config = join(flags['data-dir'], 'admin.conf');
    const ready = announcement(
      () =>
        `ready ${served.url()} — ${usage(vocabulary.configVariable, config)}${dashboard.hint(served.url())}${served.notice}`,
    );
    // The API can be used while the controllers fill their caches.
    return new Lifetimes([...served.lifetimes, ...dashboard.lifetimes, ready, live, controllers], {
      clock: environment.clock,
    });
  });
}

const usage = (variable: string, config: string): string =>
  `export ${variable}=${config}, or give clients that file`;
