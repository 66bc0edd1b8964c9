import { readFile } from 'node:fs/promises';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/index.ts';
import { createSystemClock } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import { createPinoLogger } from '../../base/log/index.ts';
import { createSystemRandom } from '../../base/random/index.ts';
import { ClientError } from '../client/client-error.ts';
import { loadInClusterConfig } from '../client/in-cluster.ts';
import { loadKubeconfig } from '../client/kubeconfig.ts';
import type { Transport } from '../client/transport.ts';
import { createUndiciTransport } from '../client/undici-transport.ts';
import type { ControllerManager } from '../controller/controller-manager.ts';
import type { ControllerDefinition } from '../controller/controller.ts';
import { createBullmqQueues } from '../queue/bullmq-queue.ts';
import { createMemoryQueues } from '../queue/memory-queue.ts';
import { assembleControllerManager } from './assemble.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** How the API server is reached. */
export type ServerAddress =
  /**
   * Path of a kubeconfig file. `context` defaults to the current context; `variables` is the environment of
   * credential plugins, default empty.
   */
  | { readonly kubeconfig: string; readonly context?: string; readonly variables?: Variables }
  /** Environment variables of the process, in a cluster. */
  | { readonly inCluster: Variables }
  /** Another transport, such as a server in the same process. */
  | { readonly transport: Transport };

/** Options of `runControllers`. */
export interface RunControllersOptions {
  readonly controllers: readonly ControllerDefinition[];
  readonly server: ServerAddress;
  /**
   * Names that the server uses. Default `orchVocabulary`; Kubernetes clusters need `kubernetesVocabulary`.
   */
  readonly vocabulary?: Vocabulary;
  /** Name of the program, for the user agent and as the source of events. Default `controllers`. */
  readonly name?: string;
  /** Selected controllers, as in `--controllers`. Default `['*']`. */
  readonly selection?: readonly string[];
  /** Shares the keys with all processes on the same Redis. Default: queues in this process. */
  readonly redisUrl?: string;
  /** Sustained requests per second. Default: no limit. */
  readonly qps?: number;
  /** Requests at once before `qps` delays them. Default 1.5 times `qps`. */
  readonly burst?: number;
  /** Stops everything when it aborts. */
  readonly signal?: AbortSignal;
  /** Default: the system clock and randomness, and JSON log lines on standard error. */
  readonly environment?: Environment;
}

/** Controllers started by `runControllers`. */
export interface RunningControllers extends AsyncDisposable {
  /** State, health, journal and metrics. */
  readonly manager: ControllerManager;
  /** Resolves once everything has stopped. */
  readonly stopped: Promise<void>;
  /** Takes no more keys, finishes running reconciles, sends pending events and stops. */
  stop(): Promise<void>;
}

/**
 * Connects to an API server and runs controllers:
 *
 *     const running = await runControllers({ controllers: [mine], server: { kubeconfig: 'admin.conf' } });
 *     process.once('SIGTERM', () => void running.stop());
 *     await running.stopped;
 *
 * Resolves when the caches are filled and keys are taken. A controller whose resources are not served waits
 * for them without delaying the others. Rejects with a `ClientError` for an invalid configuration.
 */
export async function runControllers(options: RunControllersOptions): Promise<RunningControllers> {
  const { vocabulary = orchVocabulary, name = 'controllers', redisUrl, server, signal } = options;
  const environment = options.environment ?? createEnvironment(name);
  const connected = await connect(server, vocabulary, environment);
  const manager = assembleControllerManager({
    ...options,
    ...connected,
    component: name,
    eventForm: 'series',
    scheme: createScheme(vocabulary, builtinKinds),
    environment,
    queues:
      redisUrl === undefined
        ? createMemoryQueues(environment)
        : await createBullmqQueues({ ...environment, redisUrl, prefix: name }),
  });
  let end: () => void = () => {};
  const stopped = new Promise<void>((resolve) => (end = resolve));
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= manager.stop().finally(end));
  const onAbort = (): void => void stop();
  signal?.addEventListener('abort', onAbort, { once: true });
  void stopped.then(() => signal?.removeEventListener('abort', onAbort));
  if (signal?.aborted) await stop();
  else await manager.start();
  return { manager, stopped, stop, [Symbol.asyncDispose]: stop };
}

const createEnvironment = (name: string): Environment => ({
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: createPinoLogger({ name }),
});

const readText = (path: string): Promise<string> => readFile(path, 'utf8');

async function connect(
  server: ServerAddress,
  vocabulary: Vocabulary,
  { clock }: Environment,
): Promise<{ readonly transport: Transport; readonly host?: string }> {
  if ('transport' in server) return { transport: server.transport };
  const given = { readFile: readText, vocabulary, clock };
  const config =
    'inCluster' in server
      ? await loadInClusterConfig({ ...given, environment: server.inCluster })
      : await loadKubeconfig(await readConfiguration(server.kubeconfig), {
          ...given,
          path: server.kubeconfig,
          environment: server.variables ?? {},
          ...(server.context === undefined ? {} : { context: server.context }),
        });
  return { transport: createUndiciTransport(config), host: new URL(config.server).host };
}

const readConfiguration = (path: string): Promise<string> =>
  readText(path).catch((cause: unknown) => {
    throw new ClientError('ERR_CONFIG', `failed to read ${path}: ${messageOf(cause)}`, { cause });
  });
