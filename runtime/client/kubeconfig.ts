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
import { oidcCredentials } from './oidc-credential.ts';
import {
  type Entry,
  besideFile,
  entryOf,
  flagOf,
  namesIn,
  parseRoot,
  pemOf,
  required,
  textOf,
  textsOf,
} from './kubeconfig-entry.ts';
import type { KubeconfigOptions } from './kubeconfig-options.ts';
import { pluginOf } from './kubeconfig-plugin.ts';

/**
 * Loads a kubeconfig file. Throws `ERR_CONFIG` with the file, the entry and the accepted form. Messages never
 * contain values of the file, because values may be secrets.
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

/** Client certificate and key of a user in a kubeconfig file, both in PEM. */
export interface ClientIdentity {
  readonly user: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the client certificate and key of a user in a kubeconfig file. Throws `ERR_CLIENT_CERTIFICATE` if
 * the user lacks either, and `ERR_CONFIG` under the same conditions as `loadKubeconfig`.
 * @param user name in `users`; default the user of the context
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

/** Returns the identity in `as`, `as-uid`, `as-groups` and `as-user-extra`. */
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

/** Creates credentials of an `auth-provider` block. `oidc` is the only supported provider. */
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
