import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { PluginMetrics } from './plugin-metrics.ts';
import type { RunPlugin } from './exec-credential.ts';

/** Options of `loadKubeconfig`. */
export interface KubeconfigOptions {
  /** Path of the file, for errors and as the base of relative paths. */
  readonly path: string;
  /** Default: the file's `current-context`. */
  readonly context?: string;
  readonly readFile: (path: string) => Promise<string>;
  /** API group names of credential plugins. Default: those of the plugin's `apiVersion`. */
  readonly vocabulary?: Vocabulary;
  readonly clock: Clock;
  /** Environment inherited by credential plugins, also read for a proxy. Default empty. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True if standard input is a terminal. Default false. */
  readonly terminal?: boolean;
  /** Runs credential plugins. Default: as child processes. */
  readonly runPlugin?: RunPlugin;
  /** Counts runs of credential plugins. Default: none. */
  readonly pluginMetrics?: PluginMetrics;
  /** Connects to token issuers. Default: over sockets. */
  readonly connect?: () => Outbound;
}
