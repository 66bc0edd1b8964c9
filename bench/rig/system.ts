import { X509Certificate } from 'node:crypto';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import { type Clock, SharedOffset, createSystemClock, withWallOffset } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { Lifetimes } from '../../base/lifetime/index.ts';
import { type Provisioned, provision } from '../../cli/files/index.ts';
import { parseFlags, upFlags } from '../../cli/flags/index.ts';
import { createEnvironment, schemeOf } from '../../cli/program/index.ts';
import { createServed } from '../../cli/server/index.ts';
import {
  type ControllersThread,
  type ThreadedManager,
  openManager,
  startControllersThread,
} from '../../cli/up/index.ts';
import { createServerFacts } from '../../dashboard/index.ts';
import { type Client, createClient, createInMemoryTransport } from '../../runtime/index.ts';

/**
 * API server and controllers in this process, each in a dedicated thread, like `up`. The controllers' thread
 * and the managers start on demand.
 */
export interface System extends AsyncDisposable {
  readonly server: ApiServer;
  readonly provisioned: Provisioned;
  /** Client of the administrator, without rate limits. */
  readonly client: Client;
  readonly clock: MovableClock;
  startControllers(): Promise<void>;
  /**
   * Starts a manager in the controllers' thread. The manager stops when it is disposed.
   * @param extra further arguments of `up`
   */
  startManager(extra: readonly string[]): Promise<AsyncDisposable>;
}

/** System clock whose wall time can be moved forward. */
export interface MovableClock extends Clock {
  forward(ms: number): void;
}

function createMovableClock(offset: SharedOffset): MovableClock {
  return {
    ...withWallOffset(createSystemClock(), () => offset.ms),
    forward(ms) {
      offset.ms += ms;
    },
  };
}

/**
 * Starts a system with a data directory.
 * @param extra further arguments of `up`
 */
export async function startSystem(folder: string, extra: readonly string[] = []): Promise<System> {
  const argv = ['--data-dir', folder, '--secure-port', '0'];
  const flags = parseFlags(upFlags, [...argv, ...extra]);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const offset = new SharedOffset();
  const clock = createMovableClock(offset);
  const environment: Environment = { ...createEnvironment('bench', 0), clock };
  const provisioned = await provision(folder, { vocabulary, hosts: [], environment });
  const served = await createServed({ flags, scheme, environment, provisioned });
  const { handler, metrics } = served.server;
  const certificateOf = ({ certificate }: { readonly certificate: string }): X509Certificate =>
    new X509Certificate(certificate);
  const client = createClient({
    scheme,
    transport: createInMemoryTransport({
      handler,
      peer: { address: '127.0.0.1', certificate: certificateOf(provisioned.admin) },
    }),
    clock,
    log: environment.log,
    userAgent: 'bench',
  });
  let thread: ControllersThread | undefined;
  const open = async (more: readonly string[]): Promise<ThreadedManager> => {
    thread ??= startControllersThread({ name: 'bench', verbosity: 0, offset: offset.memory });
    const manager = openManager(thread, [...argv, ...more]);
    manager.serve({
      handler,
      clock,
      certificate: certificateOf(provisioned.controllerManager),
      facts: createServerFacts({ clock, expose: () => metrics.expose(), revision: () => served.revision() }),
    });
    await orFailed(manager.assembled, thread);
    await orFailed(manager.start(), thread);
    return manager;
  };
  const parts = new Lifetimes(served.lifetimes, { clock });
  let controllers: ThreadedManager | undefined;
  await parts.start();
  return {
    server: served.server,
    provisioned,
    client,
    clock,
    async startControllers() {
      controllers = await open(extra);
    },
    async startManager(more) {
      const manager = await open(more);
      return { [Symbol.asyncDispose]: () => manager.stop() };
    },
    async [Symbol.asyncDispose]() {
      await controllers?.stop();
      await thread?.end();
      await client.close();
      await parts.stop();
    },
  };
}

/** Rejects if the thread dies, because a dead thread never settles pending work. */
const orFailed = (work: Promise<void>, { failed }: ControllersThread): Promise<void> =>
  Promise.race([work, failed.then((error) => Promise.reject(error))]);
