import { X509Certificate } from 'node:crypto';
import { vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { Environment } from '../../base/environment.ts';
import { Lifetimes } from '../../base/lifetime/lifetimes.ts';
import { assembleControllers, controllerSettings, schemeOf } from '../../cli/controllers.ts';
import { createDashboard } from '../../cli/dashboard-parts.ts';
import { upFlags } from '../../cli/flag-tables.ts';
import { parseFlags } from '../../cli/flags.ts';
import { createLiveFiles } from '../../cli/live-files.ts';
import { createEnvironment } from '../../cli/program.ts';
import { type Provisioned, provision } from '../../cli/provision.ts';
import { createServed } from '../../cli/serve.ts';
import { type Client, type Transport, createClient, createInMemoryTransport } from '../../runtime/index.ts';

/** API server and controllers in this process, as `up` puts them together; the controllers start when they are told to. */
export interface System extends AsyncDisposable {
  readonly server: ApiServer;
  readonly provisioned: Provisioned;
  /** The administrator's, without limits. */
  readonly client: Client;
  readonly clock: MovableClock;
  startControllers(): Promise<void>;
  /** Starts a manager of its own beside what there is; `extra` are further arguments of `up`. Ends when it is disposed. */
  startManager(extra: readonly string[]): Promise<AsyncDisposable>;
}

/** The system's clock, whose wall time can be put forward. */
export interface MovableClock extends Clock {
  forward(ms: number): void;
}

function createMovableClock(): MovableClock {
  const clock = createSystemClock();
  let ahead = 0;
  return {
    now: () => clock.now() + ahead,
    monotonic: () => clock.monotonic(),
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    forward(ms) {
      ahead += ms;
    },
  };
}

const flagsOf = (folder: string, extra: readonly string[]) =>
  parseFlags(upFlags, ['--data-dir', folder, '--secure-port', '0', ...extra]);
type UpFlags = ReturnType<typeof flagsOf>;

/** `extra` are further arguments of `up`. */
export async function startSystem(folder: string, extra: readonly string[] = []): Promise<System> {
  const flags = flagsOf(folder, extra);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const clock = createMovableClock();
  const environment: Environment = { ...createEnvironment('bench', 0), clock };
  const provisioned = await provision(folder, { vocabulary, hosts: [], environment });
  const served = await createServed(flags, scheme, environment, provisioned);
  const transportOf = (certificate: string): Transport =>
    createInMemoryTransport({
      handler: served.server.handler,
      peer: { address: '127.0.0.1', certificate: new X509Certificate(certificate) },
    });
  const client = createClient({
    scheme,
    transport: transportOf(provisioned.admin.certificate),
    clock,
    log: environment.log,
    userAgent: 'bench',
  });
  const assemble = async (flags: UpFlags): Promise<Lifetimes> => {
    const live = createLiveFiles(environment);
    const dashboard = createDashboard(flags, { scheme, environment, controllers: () => manager });
    const manager = await assembleControllers({
      journal: dashboard.journal,
      scheme,
      environment,
      transport: transportOf(provisioned.controllerManager.certificate),
      settings: await controllerSettings(flags, vocabulary, async () => provisioned, live),
      flags,
    });
    return new Lifetimes([...dashboard.lifetimes, live, manager], { clock });
  };
  const parts = new Lifetimes(served.lifetimes, { clock });
  const controllers = await assemble(flags);
  await parts.start();
  return {
    server: served.server,
    provisioned,
    client,
    clock,
    startControllers: () => controllers.start(),
    async startManager(more) {
      const manager = await assemble(flagsOf(folder, more));
      await manager.start();
      return {
        async [Symbol.asyncDispose]() {
          await manager.stop();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await controllers.stop();
      await client.close();
      await parts.stop();
    },
  };
}
