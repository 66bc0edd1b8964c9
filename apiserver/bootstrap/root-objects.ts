import { configMaps, roleBindings, roles } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { ruleWords } from '../../api/rbac/index.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { ANONYMOUS } from '../auth/groups.ts';
import { type IdentityHeaders, standardIdentityHeaders } from '../auth/request-header.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';

/** Server URL and certificate authorities that the cluster's ConfigMaps publish. */
export interface RootObjectsOptions extends AuthoritiesOptions {
  /** URL at which external clients reach the API, such as `https://10.0.0.1:6443`. */
  readonly serverUrl: string;
  /** PEM of the CA that signed the server's certificate. */
  readonly serverCaPem: string;
}

/** Certificate authorities published to aggregated servers. */
export interface AuthoritiesOptions {
  readonly vocabulary: Vocabulary;
  /** PEM bundle of the CAs that verify client certificates. */
  readonly clientCaPem: string;
  /** Identity with which this server proxies requests. Undefined if the server does not proxy requests. */
  readonly requestHeader?: RequestHeader | undefined;
}

/** Proxy identity of this server, as published to aggregated servers. */
export interface RequestHeader {
  /** PEM of the CA that signed this server's proxy certificate. */
  readonly caPem: string;
  /** Accepted common names of the proxy certificate; an empty list accepts any name. */
  readonly allowedNames: readonly string[];
  /** Headers in which the proxy passes the user. The default is the standard headers. */
  readonly headers?: IdentityHeaders;
}

const CLUSTER_INFO = 'cluster-info';

/**
 * Returns a kubeconfig with only the cluster and no user, for nodes that join
 * (https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#configmap-signing).
 */
const clusterInfoConfig = (serverUrl: string, caPem: string): string =>
  [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${Buffer.from(caPem).toString('base64')}`,
    `    server: ${JSON.stringify(serverUrl)}`,
    '  name: ""',
    'contexts: null',
    'current-context: ""',
    'kind: Config',
    'preferences: {}',
    'users: null',
    '',
  ].join('\n');

/** Merges `wanted` into the data of the ConfigMap. Returns undefined if this changes nothing. */
function withData(
  current: DeepReadonly<ConfigMap>,
  wanted: Readonly<Record<string, string>>,
): ConfigMap | undefined {
  const same = Object.entries(wanted).every(([key, value]) => current.data?.[key] === value);
  return same
    ? undefined
    : (structuredClone({ ...current, data: { ...current.data, ...wanted } }) as ConfigMap);
}

/**
 * Writes the ConfigMaps that publish the certificate authorities to trust: `cluster-info`, which everyone may
 * read, and `extension-apiserver-authentication`. Each start updates both from the server's files. Keys that
 * other writers added, such as the signatures on `cluster-info`, stay.
 */
export async function ensureRootObjects(writer: BootstrapWriter, options: RootObjectsOptions): Promise<void> {
  const { vocabulary: v, serverUrl, serverCaPem } = options;
  const kubeconfig = clusterInfoConfig(serverUrl, serverCaPem);
  await Promise.all([
    ensureAuthorities(writer, options),
    ensureConfigMap(writer, v.namespaces.public, CLUSTER_INFO, { kubeconfig }),
    ensureClusterInfoReaders(writer, v),
  ]);
}

/**
 * Publishes the certificate authorities that verify clients and proxies to aggregated servers. Must be called
 * again after the authorities change.
 */
export const ensureAuthorities = (
  writer: BootstrapWriter,
  { vocabulary, clientCaPem, requestHeader }: AuthoritiesOptions,
): Promise<void> =>
  ensureConfigMap(writer, vocabulary.namespaces.system, 'extension-apiserver-authentication', {
    'client-ca-file': clientCaPem,
    ...requestHeaderData(requestHeader),
  });

const ensureConfigMap = (
  writer: BootstrapWriter,
  namespace: string,
  name: string,
  data: Record<string, string>,
): Promise<void> =>
  writer.ensure(
    configMaps,
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace, name }, data },
    (current) => withData(current, data),
  );

const requestHeaderData = (known: RequestHeader | undefined): Record<string, string> =>
  known === undefined
    ? {}
    : {
        'requestheader-allowed-names': JSON.stringify(known.allowedNames),
        'requestheader-client-ca-file': known.caPem,
        ...publishedNames(known.headers ?? standardIdentityHeaders),
      };

const publishedNames = ({ username, group, extraPrefix }: IdentityHeaders): Record<string, string> => ({
  'requestheader-extra-headers-prefix': JSON.stringify(extraPrefix),
  'requestheader-group-headers': JSON.stringify(group),
  'requestheader-username-headers': JSON.stringify(username),
});

/**
 * Lets clients without credentials read `cluster-info`. The signatures in `cluster-info` prove its
 * authenticity to holders of a bootstrap token.
 */
async function ensureClusterInfoReaders(writer: BootstrapWriter, v: Vocabulary): Promise<void> {
  const metadata = { namespace: v.namespaces.public, name: 'system:bootstrap-signer-clusterinfo' };
  const apiGroup = v.group('rbac.authorization');
  const apiVersion = v.apiVersion('rbac.authorization', 'v1');
  await writer.ensure(roles, {
    kind: 'Role',
    apiVersion,
    metadata,
    rules: [ruleWords(v).can('get', 'core', 'configmaps', [CLUSTER_INFO])],
  });
  await writer.ensure(roleBindings, {
    kind: 'RoleBinding',
    apiVersion,
    metadata,
    subjects: [{ kind: 'User', apiGroup, name: ANONYMOUS }],
    roleRef: { apiGroup, kind: 'Role', name: metadata.name },
  });
}
