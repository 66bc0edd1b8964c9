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

/** Address of the API server. */
export type ServerAddress =
  /**
   * Path of a kubeconfig file. `context` defaults to the current context. `variables` is the environment of
   * credential plugins and defaults to an empty one.
   */
  | { readonly kubeconfig: string; readonly context?: string; readonly variables?: Variables }
  /** Environment variables of a process in a pod. */
  | { readonly inCluster: Variables }
  /** Transport to any server, such as a server in the same process. */
  | { readonly transport: Transport };

/** Options of `runControllers`. */
export interface RunControllersOptions {
  readonly controllers: readonly ControllerDefinition[];
  readonly server: ServerAddress;
  /**
   * Names in the server's API, such as its group suffixes. Default `orchVocabulary`; Kubernetes clusters need
   * `kubernetesVocabulary`.
   */
  readonly vocabulary?: Vocabulary;
  /** Name of the program, used in the user agent and as the source of events. Default `controllers`. */
  readonly name?: string;
  /** Controllers to run, as in `--controllers`. Default `['*']`. */
  readonly selection?: readonly string[];
  /** URL of a Redis through which all its processes share the keys. Default: queues in this process. */
  readonly redisUrl?: string;
  /** Maximum sustained number of requests per second. Default: no limit. */
  readonly qps?: number;
  /** Maximum number of requests at once before `qps` delays them. Default 1.5 times `qps`. */
  readonly burst?: number;
  /** Signal that stops the controllers. */
  readonly signal?: AbortSignal;
  /** Clock, randomness and log. Default: those of the system, with JSON log lines on standard error. */
  readonly environment?: Environment;
}

/** Controllers started by `runControllers`. */
export interface RunningControllers extends AsyncDisposable {
  /** Access to state, health, journal and metrics. */
  readonly manager: ControllerManager;
  /** Resolves once all parts have stopped. */
  readonly stopped: Promise<void>;
  /** Stops: takes no more keys, finishes running reconciles and sends pending events. */
  stop(): Promise<void>;
}

/**
 * Connects to an API server and runs controllers:
 *
 *     const running = await runControllers({ controllers: [mine], server: { kubeconfig: 'admin.conf' } });
 *     process.once('SIGTERM', () => void running.stop());
 *     await running.stopped;
 *
 * Resolves once the caches are filled and the controllers take keys. A controller whose resources are not
 * served waits for them without delaying the other controllers. Rejects with a `ClientError` for an invalid
 * configuration.
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
