import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { PluginMetrics } from './plugin-metrics.ts';
import type { RunPlugin } from './exec-credential.ts';

/** Options of `loadKubeconfig`. */
export interface KubeconfigOptions {
  /** Path of the file, used in errors and as the base of relative paths. */
  readonly path: string;
  /** Name of the context. Default: the file's `current-context`. */
  readonly context?: string;
  readonly readFile: (path: string) => Promise<string>;
  /** Vocabulary of credential plugins. Default: the vocabulary to which the plugin's `apiVersion` belongs. */
  readonly vocabulary?: Vocabulary;
  readonly clock: Clock;
  /** Environment variables, inherited by credential plugins and read for a proxy. Default empty. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True if standard input is a terminal. Default false. */
  readonly terminal?: boolean;
  /** Runs credential plugins. Default: as child processes. */
  readonly runPlugin?: RunPlugin;
  /** Metrics of credential plugin runs. Default: none. */
  readonly pluginMetrics?: PluginMetrics;
  /** Creates the connections to token issuers. Default: over sockets. */
  readonly connect?: () => Outbound;
}
