import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { createTraceContexts } from '../../apiserver/http/stages/index.ts';
import { Lifetimes } from '../../base/lifetime/index.ts';
import { PAGE_PATH, createServerFacts } from '../../dashboard/index.ts';
import { servingHosts } from '../server/advertised.ts';
import { schemeOf } from '../program/scheme-of.ts';
import type { ControllersThread } from './controllers-thread.ts';
import { dashboardMounts, pageSettings } from '../dashboard/parts.ts';
import type { upFlags } from '../flags/flag-tables.ts';
import type { FlagValues } from '../flags/flags.ts';
import { announcement } from '../program/program.ts';
import { provision } from '../files/provision.ts';
import { createServed } from '../server/serve.ts';
import { openManager } from './threaded-manager.ts';

/**
 * Assembles an API server in this thread and its controllers in the other thread. Does not start them.
 * @param flags parsed values of `argv`
 */
export async function assembleUp(
  argv: readonly string[],
  flags: FlagValues<typeof upFlags>,
  environment: Environment,
  thread: ControllersThread,
): Promise<Lifetimes> {
  const { clock } = environment;
  const scheme = schemeOf(flags.vocabulary);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const provisioned = await provision(flags['data-dir'], {
    vocabulary,
    hosts: servingHosts(flags),
    environment,
  });
  const manager = openManager(thread, argv);
  const mounts = dashboardMounts(
    flags.dashboard ? manager.journal : undefined,
    pageSettings(vocabulary, 'live'),
  );
  const contexts = flags['otlp-endpoint'] === '' ? undefined : createTraceContexts();
  const served = await createServed({
    ...(contexts === undefined ? {} : { stages: [contexts.stage] }),
    flags,
    scheme,
    environment,
    provisioned,
    controllerManager: () => manager.healthy(),
    mounts,
  });
  manager.serve({
    handler: served.server.handler,
    clock,
    ...(contexts === undefined ? {} : { contextsOf: contexts.of }),
    certificate: new X509Certificate(provisioned.controllerManager.certificate),
    facts: createServerFacts({
      clock,
      expose: () => served.server.metrics.expose(),
      revision: () => served.revision(),
    }),
  });
  await manager.assembled;
  const adminConfig = join(flags['data-dir'], 'admin.conf');
  const usage = `export ${vocabulary.configVariable}=${adminConfig}, or give clients that file`;
  const browsed = `; orch dashboard --kubeconfig ${adminConfig} shows the dashboard without a token`;
  const shown = (url: string): string => (flags.dashboard ? `${browsed}; dashboard ${url}${PAGE_PATH}/` : '');
  const ready = announcement(() => `ready ${served.url()} — ${usage}${shown(served.url())}${served.notice}`);
  // The ready line is before the manager, because the API is usable while the controllers fill their caches.
  return new Lifetimes([...served.lifetimes, ready, manager], { clock });
}
