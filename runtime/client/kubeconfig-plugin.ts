import { type Vocabulary, vocabularies } from '../../api/vocabulary/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { TlsConfig } from './client-config.ts';
import type { CredentialSource } from './credentials.ts';
import { type ExecConfig, execCredentials, execVersions } from './exec-credential.ts';
import { type Entry, besideFile, flagOf, required, textOf } from './kubeconfig-entry.ts';
import type { KubeconfigOptions } from './kubeconfig-options.ts';

/** Creates the credentials of a user's `exec` block. Throws `ERR_CONFIG` for an invalid block. */
export function pluginOf(
  user: Entry,
  block: unknown,
  cluster: Entry,
  tls: TlsConfig,
  options: KubeconfigOptions,
): CredentialSource {
  const { clock, environment = {}, terminal = false, runPlugin, pluginMetrics: metrics } = options;
  if (!isRecord(block)) throw user.wrong('exec must be an object with command and apiVersion');
  const entry: Entry = {
    fields: block,
    label: `${user.label}.exec`,
    wrong: (what) => user.wrong(`exec: ${what}`),
  };
  const vocabulary = pluginVocabulary(entry, options.vocabulary);
  const exec = execOf(entry, vocabulary, options);
  const info = flagOf(entry, 'provideClusterInfo') ? { cluster: clusterInfo(cluster, tls, vocabulary) } : {};
  return execCredentials({
    exec: { ...exec, ...info },
    vocabulary,
    clock,
    environment,
    terminal,
    ...(runPlugin === undefined ? {} : { run: runPlugin }),
    ...(metrics === undefined ? {} : { metrics }),
  });
}

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

function pluginVocabulary(entry: Entry, given: Vocabulary | undefined): Vocabulary {
  const apiVersion = required(entry, 'apiVersion');
  const spoken = given === undefined ? vocabularies : [given];
  const found = spoken.find((vocabulary) => execVersions(vocabulary).includes(apiVersion));
  if (found !== undefined) return found;
  const accepted = spoken.flatMap(execVersions).join(', ');
  throw entry.wrong(`apiVersion ${JSON.stringify(apiVersion)} is not supported; expected one of ${accepted}`);
}

function execOf(
  entry: Entry,
  vocabulary: Vocabulary,
  options: KubeconfigOptions,
): Omit<ExecConfig, 'cluster'> {
  const [newest] = execVersions(vocabulary);
  const apiVersion = required(entry, 'apiVersion');
  const asked = textOf(entry, 'interactiveMode') ?? (apiVersion === newest ? undefined : 'IfAvailable');
  const interactiveMode = INTERACTIVE_MODES.find((mode) => mode === asked);
  if (interactiveMode === undefined)
    throw entry.wrong(`interactiveMode must be one of ${INTERACTIVE_MODES.join(', ')} for ${apiVersion}`);
  const command = required(entry, 'command');
  const args = entry.fields['args'] ?? [];
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    throw entry.wrong('args must be a list of strings');
  const installHint = textOf(entry, 'installHint');
  return {
    // A name without a slash is looked up in PATH. A relative path starts at the directory of the kubeconfig
    // file.
    command: command.includes('/') ? besideFile(options, command) : command,
    args,
    env: envOf(entry),
    apiVersion,
    interactiveMode,
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function envOf(entry: Entry): Record<string, string> {
  const env = entry.fields['env'] ?? [];
  if (!Array.isArray(env)) throw entry.wrong('env must be a list of name and value');
  return Object.fromEntries(
    env.map((each: unknown) => {
      const { name, value = '' } = isRecord(each) ? each : {};
      if (typeof name !== 'string' || name === '' || typeof value !== 'string')
        throw entry.wrong('env must be a list of name and value, both strings');
      return [name, value];
    }),
  );
}

/** Returns the `spec.cluster` of the plugin's input. */
function clusterInfo(cluster: Entry, tls: TlsConfig, vocabulary: Vocabulary): Record<string, unknown> {
  const extensions = cluster.fields['extensions'] ?? [];
  const name = vocabulary.groupKey('client.authentication', 'exec');
  const extension: unknown = Array.isArray(extensions)
    ? extensions.find((each: unknown) => isRecord(each) && each['name'] === name)
    : undefined;
  const proxyUrl = textOf(cluster, 'proxy-url');
  return {
    server: required(cluster, 'server'),
    ...(tls.serverName === undefined ? {} : { 'tls-server-name': tls.serverName }),
    ...(tls.insecure === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
    ...(isRecord(extension) ? { config: extension['extension'] } : {}),
  };
}
