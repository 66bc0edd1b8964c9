import { configMaps, roleBindings, roles } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { ruleWords } from '../../api/rbac/index.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { ANONYMOUS } from '../auth/groups.ts';
import { type IdentityHeaders, standardIdentityHeaders } from '../auth/request-header.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';

export interface RootObjectsOptions extends AuthoritiesOptions {
  /** URL by which clients outside reach the API, as in `https://10.0.0.1:6443`. */
  readonly serverUrl: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly serverCaPem: string;
}

export interface AuthoritiesOptions {
  readonly vocabulary: Vocabulary;
  /** PEM of the bundle that client certificates are verified against. */
  readonly clientCaPem: string;
  /** How other servers know this one when it passes on who asks; undefined: it never does. */
  readonly requestHeader?: RequestHeader | undefined;
}

export interface RequestHeader {
  /** PEM of the authority that signed the certificate this server shows them. */
  readonly caPem: string;
  /** Common names such a certificate may have; empty for any. */
  readonly allowedNames: readonly string[];
  /** Headers by which it says who asks; default those it uses itself. */
  readonly headers?: IdentityHeaders;
}

const CLUSTER_INFO = 'cluster-info';

/** A client configuration that names the cluster alone, for those who want to join it (specification 1, section 2.5). */
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

/** `data` with `wanted` laid over what is there; undefined when that changes nothing. */
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
 * ConfigMaps that tell clients and components whom to trust: `cluster-info`, readable by everyone, and
 * `extension-apiserver-authentication`. Kept current with the server's own files at each start; keys of others (the
 * signatures on `cluster-info`) stay.
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

/** Tells aggregated servers what this server verifies clients and proxies with; to be called again when that changes. */
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

/** Who has no credential yet may read `cluster-info`: its signatures tell those who hold a token that it is genuine. */
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
