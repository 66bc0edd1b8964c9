import { spawn } from 'node:child_process';
import { type Clock, fromTime } from '../../base/clock/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { ClientError } from './client-error.ts';
import { type CredentialSource, type Credentials, bearer } from './credentials.ts';
import type { PluginMetrics } from './plugin-metrics.ts';

/**
 * Validated `exec` block of a user; see
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins.
 */
export interface ExecConfig {
  /** Absolute path of the program, or a name that is looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** Cluster information passed to the plugin; undefined without `provideClusterInfo`. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

/** One call of a credential plugin. */
export interface PluginRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** True if the plugin may read standard input. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/**
 * Function that runs a program to its end and resolves to its standard output. Rejects with the code `ENOENT`
 * if the program does not exist.
 */
export type RunPlugin = (run: PluginRun) => Promise<{ readonly exitCode: number; readonly stdout: string }>;

/** Options of `execCredentials`. */
export interface ExecCredentialOptions {
  readonly exec: ExecConfig;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Environment inherited by the plugin. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True if standard input is a terminal. */
  readonly terminal: boolean;
  /** Runs the plugin. Default: as a child process. */
  readonly run?: RunPlugin;
  /** Time limit of a non-interactive plugin in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /** Metrics of plugin runs. Default: none. */
  readonly metrics?: PluginMetrics;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

const failure = (message: string, cause?: unknown): ClientError =>
  new ClientError('ERR_CREDENTIAL', message, cause === undefined ? {} : { cause });

/** Returns the accepted API versions of `ExecCredential`, newest first. */
export const execVersions = (vocabulary: Vocabulary): readonly string[] =>
  ['v1', 'v1beta1'].map((version) => vocabulary.apiVersion('client.authentication', version));

/**
 * Creates a source that runs a credential plugin. Concurrent requests share one run. The result is cached
 * until it expires or the server rejects it. The plugin's output never appears in a log or an error.
 */
export function execCredentials(options: ExecCredentialOptions): CredentialSource {
  const { clock, metrics } = options;
  let held: { readonly credentials: Credentials; readonly expiresAtMs: number } | undefined;
  let last: Credentials | undefined;
  let running: Promise<Credentials> | undefined;

  const run = async (): Promise<Credentials> => {
    held = parseOutput(await runPlugin(options), options);
    metrics?.replaced(last, held.credentials);
    last = held.credentials;
    return held.credentials;
  };
  return {
    get() {
      if (held !== undefined && clock.now() < held.expiresAtMs) return Promise.resolve(held.credentials);
      running ??= run().finally(() => (running = undefined));
      return running;
    },
    rejected(used) {
      if (held?.credentials === used) held = undefined;
      return Promise.resolve(true);
    },
  };
}

async function runPlugin(options: ExecCredentialOptions): Promise<string> {
  const { exec, vocabulary, clock, environment, run = runProcess, timeoutMs = 60_000 } = options;
  const { command, installHint } = exec;
  const interactive = exec.interactiveMode !== 'Never' && options.terminal;
  if (exec.interactiveMode === 'Always' && !interactive)
    throw failure(
      `credential plugin ${command} has interactiveMode Always, and standard input is not a terminal`,
    );
  const info = {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { interactive, ...(exec.cluster === undefined ? {} : { cluster: exec.cluster }) },
  };
  const inherited = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const controller = new AbortController();
  const timer = interactive ? undefined : clock.setTimeout(() => controller.abort(), timeoutMs);
  try {
    const { exitCode, stdout } = await run({
      command,
      args: exec.args,
      env: {
        ...Object.fromEntries(inherited),
        ...exec.env,
        [vocabulary.execInfoVariable]: JSON.stringify(info),
      },
      interactive,
      signal: controller.signal,
    });
    options.metrics?.called(exitCode, exitCode === 0 ? 'no_error' : 'plugin_execution_error');
    if (exitCode !== 0) throw failure(`credential plugin ${command} failed with exit code ${exitCode}`);
    return stdout;
  } catch (thrown) {
    if (thrown instanceof ClientError) throw thrown;
    const missing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    options.metrics?.called(1, missing ? 'plugin_not_found_error' : 'client_internal_error');
    if (controller.signal.aborted)
      throw failure(`credential plugin ${command} did not end within ${timeoutMs} ms`);
    const hint = missing && installHint !== undefined ? `: ${installHint}` : '';
    throw failure(
      `credential plugin ${command} ${missing ? 'was not found' : 'could not be run'}${hint}`,
      thrown,
    );
  } finally {
    clock.clearTimeout(timer);
  }
}

function parseOutput(
  stdout: string,
  { exec }: ExecCredentialOptions,
): { credentials: Credentials; expiresAtMs: number } {
  const wrong = (what: string): ClientError => failure(`credential plugin ${exec.command} ${what}`);
  let output: unknown;
  try {
    output = JSON.parse(stdout);
  } catch {
    // The cause is omitted: the parser's message quotes the output, which may contain the token.
    throw wrong('did not print valid JSON');
  }
  if (!isRecord(output) || output['kind'] !== 'ExecCredential')
    throw wrong('did not print an object of kind ExecCredential');
  if (output['apiVersion'] !== exec.apiVersion)
    throw wrong(`printed apiVersion ${JSON.stringify(output['apiVersion'])}, expected ${exec.apiVersion}`);
  const status = output['status'];
  if (!isRecord(status)) throw wrong('did not print a status');
  const text = (name: string): string | undefined => {
    const value = status[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const token = text('token');
  const certificate = text('clientCertificateData');
  const key = text('clientKeyData');
  if ((certificate === undefined) !== (key === undefined) || (token === undefined && key === undefined))
    throw wrong('must print status.token, or both status.clientCertificateData and status.clientKeyData');
  const expiry = status['expirationTimestamp'] ?? undefined;
  const expiresAtMs =
    expiry === undefined ? Infinity : typeof expiry === 'string' ? fromTime(expiry) : undefined;
  if (expiresAtMs === undefined)
    throw wrong('printed a status.expirationTimestamp that is not an RFC 3339 time');
  return {
    credentials: {
      ...(token === undefined ? {} : { authorization: bearer(token) }),
      ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
    },
    expiresAtMs,
  };
}

/**
 * Runs the plugin as a child process. The plugin inherits standard error, on which it may prompt the user.
 */
const runProcess: RunPlugin = ({ command, args, env, interactive, signal }) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env,
      signal,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_OUTPUT_BYTES) chunks.push(chunk);
      else child.kill();
    });
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ exitCode: code ?? 1, stdout: Buffer.concat(chunks).toString('utf8') }),
    );
  });
