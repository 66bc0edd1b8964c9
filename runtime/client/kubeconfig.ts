import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { type Vocabulary, vocabularies } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { ClientConfig, Impersonation, TlsConfig } from './client-config.ts';
import { ClientError } from './client-error.ts';
import {
  type CredentialSource,
  type Credentials,
  basic,
  bearer,
  staticCredentials,
  tokenFileCredentials,
} from './credentials.ts';
import { proxyFromEnvironment } from './environment-proxy.ts';
import type { PluginMetrics } from './plugin-metrics.ts';
import { type ExecConfig, type RunPlugin, execCredentials, execVersions } from './exec-credential.ts';
import { oidcCredentials } from './oidc-credential.ts';

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

type Fields = Readonly<Record<string, unknown>>;

/** A named entry with a factory for its errors. */
interface Entry {
  readonly fields: Fields;
  readonly label: string;
  wrong(what: string): ClientError;
}

/**
 * Loads a kubeconfig file. Throws `ERR_CONFIG` with the file, the entry and the accepted form. Values never
 * appear in a message, because they may be secrets.
 */
export async function loadKubeconfig(text: string, options: KubeconfigOptions): Promise<ClientConfig> {
  const root = parseRoot(text, options.path);
  const contextName = options.context ?? textOf(root, 'current-context');
  if (contextName === undefined)
    throw root.wrong(`current-context is not set; set it to one of ${namesIn(root, 'contexts')}`);
  const context = entryOf(root, 'contexts', 'context', contextName);
  const cluster = entryOf(root, 'clusters', 'cluster', required(context, 'cluster'));
  const userName = textOf(context, 'user');
  const user = userName === undefined ? undefined : entryOf(root, 'users', 'user', userName);
  const server = required(cluster, 'server');
  const tls = await tlsOf(cluster, options);
  const proxyUrl = textOf(cluster, 'proxy-url') ?? proxyFromEnvironment(server, options.environment ?? {});
  return {
    server,
    tls,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    credentials:
      user === undefined ? staticCredentials({}) : await credentialsOf(user, cluster, tls, options),
    ...impersonationOf(user),
    namespace: textOf(context, 'namespace') ?? 'default',
  };
}

/** Certificate and key with which a user of a kubeconfig file authenticates, in PEM. */
export interface ClientIdentity {
  readonly user: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the client certificate and key of a user of a kubeconfig file. Throws `ERR_CLIENT_CERTIFICATE` if
 * the user has none, and `ERR_CONFIG` like `loadKubeconfig`.
 * @param user name in `users`; default that of the context
 */
export async function loadClientIdentity(
  text: string,
  options: Pick<KubeconfigOptions, 'path' | 'context' | 'readFile'>,
  user?: string,
): Promise<ClientIdentity> {
  const root = parseRoot(text, options.path);
  const name = user ?? userOfContext(root, options.context);
  const entry = entryOf(root, 'users', 'user', name);
  const certificate = await pemOf(entry, 'client-certificate', options);
  const key = await pemOf(entry, 'client-key', options);
  if (certificate !== undefined && key !== undefined) return { user: name, certificate, key };
  throw new ClientError(
    'ERR_CLIENT_CERTIFICATE',
    `${options.path}: user ${JSON.stringify(name)} has no client certificate with key; expected client-certificate and client-key, or their -data forms`,
  );
}

function userOfContext(root: Entry, given: string | undefined): string {
  const name = given ?? textOf(root, 'current-context');
  if (name === undefined)
    throw root.wrong(`current-context is not set; set it to one of ${namesIn(root, 'contexts')}`);
  return required(entryOf(root, 'contexts', 'context', name), 'user');
}

function parseRoot(text: string, path: string): Entry {
  const wrong = (what: string): ClientError => new ClientError('ERR_CONFIG', `${path}: ${what}`);
  let parsed: unknown;
  try {
    // Warnings would print lines of the file.
    parsed = parse(text, { logLevel: 'error' });
  } catch (thrown) {
    // The parser's message quotes the file, so only the line number is used.
    const at =
      isRecord(thrown) && Array.isArray(thrown['linePos']) ? (thrown['linePos'][0] as unknown) : undefined;
    throw wrong(`is not valid YAML or JSON${isRecord(at) ? ` (line ${String(at['line'])})` : ''}`);
  }
  if (!isRecord(parsed)) throw wrong('must be an object with clusters, users and contexts');
  return { fields: parsed, label: path, wrong };
}

const namesIn = (root: Entry, list: string): string => {
  const entries = root.fields[list];
  const names = Array.isArray(entries)
    ? entries.flatMap((entry: unknown) => (isRecord(entry) ? [JSON.stringify(entry['name'])] : []))
    : [];
  return names.length === 0 ? `the names in ${list}, which is empty` : names.join(', ');
};

function entryOf(root: Entry, list: string, field: string, name: string): Entry {
  const entries = root.fields[list] ?? [];
  if (!Array.isArray(entries)) throw root.wrong(`${list} must be a list of entries with name and ${field}`);
  const found: unknown = entries.find((entry: unknown) => isRecord(entry) && entry['name'] === name);
  if (!isRecord(found))
    throw root.wrong(
      `${field} ${JSON.stringify(name)} is not in ${list}; expected one of ${namesIn(root, list)}`,
    );
  const label = `${list}[name=${JSON.stringify(name)}].${field}`;
  const fields = found[field] ?? {};
  if (!isRecord(fields)) throw root.wrong(`${label} must be an object`);
  return { fields, label, wrong: (what) => root.wrong(`${label}: ${what}`) };
}

/** Returns a non-empty string field. */
function textOf(entry: Entry, name: string): string | undefined {
  const value = entry.fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw entry.wrong(`${name} must be a string`);
  return value;
}

function flagOf(entry: Entry, name: string): boolean {
  const value = entry.fields[name] ?? false;
  if (typeof value !== 'boolean') throw entry.wrong(`${name} must be true or false`);
  return value;
}

function required(entry: Entry, name: string): string {
  const value = textOf(entry, name);
  if (value === undefined) throw entry.wrong(`${name} must be set`);
  return value;
}

const besideFile = (options: Pick<KubeconfigOptions, 'path'>, path: string): string =>
  isAbsolute(path) ? path : resolve(dirname(options.path), path);

/** Returns the PEM in `<name>-data` (base64) or in the file that `<name>` refers to; data wins. */
async function pemOf(
  entry: Entry,
  name: string,
  options: Pick<KubeconfigOptions, 'path' | 'readFile'>,
): Promise<string | undefined> {
  const data = textOf(entry, `${name}-data`);
  if (data !== undefined) {
    const pem = Buffer.from(data, 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN ')) throw entry.wrong(`${name}-data must be PEM in base64`);
    return pem;
  }
  const path = textOf(entry, name);
  if (path === undefined) return undefined;
  const at = besideFile(options, path);
  const pem = await options.readFile(at).catch((cause: unknown) => {
    throw entry.wrong(`${name}: failed to read ${at}: ${messageOf(cause)}`);
  });
  if (!pem.includes('-----BEGIN ')) throw entry.wrong(`${name}: ${at} must be a PEM file`);
  return pem;
}

async function tlsOf(cluster: Entry, options: KubeconfigOptions): Promise<TlsConfig> {
  const ca = await pemOf(cluster, 'certificate-authority', options);
  const insecure = flagOf(cluster, 'insecure-skip-tls-verify');
  const serverName = textOf(cluster, 'tls-server-name');
  if (insecure && ca !== undefined)
    throw cluster.wrong('certificate-authority and insecure-skip-tls-verify exclude each other; remove one');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(insecure ? { insecure } : {}),
  };
}

async function credentialsOf(
  user: Entry,
  cluster: Entry,
  tls: TlsConfig,
  options: KubeconfigOptions,
): Promise<CredentialSource> {
  const certificate = await pemOf(user, 'client-certificate', options);
  const key = await pemOf(user, 'client-key', options);
  if ((certificate === undefined) !== (key === undefined))
    throw user.wrong('client-certificate and client-key must be set together');
  const pair: Credentials = certificate === undefined || key === undefined ? {} : { certificate, key };
  const token = textOf(user, 'token');
  const tokenFile = textOf(user, 'tokenFile');
  const username = textOf(user, 'username');
  const hasToken = token !== undefined || tokenFile !== undefined;
  const exec = user.fields['exec'] ?? undefined;
  const provider = user.fields['auth-provider'] ?? undefined;
  const ways = [hasToken, username !== undefined, exec !== undefined, provider !== undefined];
  if (ways.filter(Boolean).length > 1)
    throw user.wrong(
      'only one of token or tokenFile, username with password, exec, and auth-provider may be set',
    );
  if (exec !== undefined) return pluginOf(user, exec, cluster, tls, options);
  if (provider !== undefined) return providerOf(user, provider, options);
  if (token !== undefined) return staticCredentials({ ...pair, authorization: bearer(token) });
  if (tokenFile !== undefined)
    return tokenFileCredentials({
      path: besideFile(options, tokenFile),
      readFile: options.readFile,
      clock: options.clock,
      additional: pair,
    });
  if (username === undefined) return staticCredentials(pair);
  return staticCredentials({ ...pair, authorization: basic(username, textOf(user, 'password') ?? '') });
}

/** Reads `as`, `as-uid`, `as-groups` and `as-user-extra`. */
function impersonationOf(user: Entry | undefined): { readonly impersonate?: Impersonation } {
  if (user === undefined) return {};
  const name = textOf(user, 'as');
  const uid = textOf(user, 'as-uid');
  const groups = textsOf(user, 'as-groups');
  const extra = user.fields['as-user-extra'] ?? {};
  if (!isRecord(extra)) throw user.wrong('as-user-extra must be an object of lists of strings');
  const entry: Entry = { ...user, fields: extra, wrong: (what) => user.wrong(`as-user-extra: ${what}`) };
  const extras = Object.keys(extra).map((key) => [key, textsOf(entry, key)] as const);
  if (name === undefined) {
    if (uid !== undefined || groups.length > 0 || extras.length > 0)
      throw user.wrong('as-uid, as-groups and as-user-extra require as');
    return {};
  }
  return {
    impersonate: {
      user: name,
      ...(uid === undefined ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extras.length === 0 ? {} : { extra: Object.fromEntries(extras) }),
    },
  };
}

function textsOf(entry: Entry, name: string): readonly string[] {
  const values = entry.fields[name] ?? [];
  if (!Array.isArray(values) || !values.every((each): each is string => typeof each === 'string'))
    throw entry.wrong(`${name} must be a list of strings`);
  return values;
}

function pluginOf(
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

/** Creates credentials of the provider `oidc`, the only supported one. */
async function providerOf(
  user: Entry,
  block: unknown,
  options: KubeconfigOptions,
): Promise<CredentialSource> {
  const { name, config } = isRecord(block) ? block : {};
  if (name !== 'oidc' || !isRecord(config))
    throw user.wrong('auth-provider must be an object with the name oidc and a config');
  const entry: Entry = {
    fields: config,
    label: `${user.label}.auth-provider`,
    wrong: (what) => user.wrong(`auth-provider: ${what}`),
  };
  const issuerUrl = required(entry, 'idp-issuer-url');
  if (!URL.canParse(issuerUrl) || new URL(issuerUrl).protocol !== 'https:')
    throw entry.wrong('idp-issuer-url must be a URL with https');
  const ca = await pemOf(entry, 'idp-certificate-authority', options);
  const clientSecret = textOf(entry, 'client-secret');
  const idToken = textOf(entry, 'id-token');
  const refreshToken = textOf(entry, 'refresh-token');
  const { clock, connect } = options;
  return oidcCredentials({
    oidc: {
      issuerUrl,
      clientId: required(entry, 'client-id'),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(idToken === undefined ? {} : { idToken }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(ca === undefined ? {} : { ca }),
    },
    clock,
    ...(connect === undefined ? {} : { connect }),
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
    // A name without a folder is looked up in PATH; a relative path starts at the file.
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

/** Returns the `spec.cluster` passed to a plugin. */
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
