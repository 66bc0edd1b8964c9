import { AUTHORIZATION_MODES, webhookVersions } from '../../apiserver/authorization/index.ts';
import { auditFlags } from '../server/audit-flags.ts';
import { oidcSigningAlgorithms, tokenWebhookVersions } from '../../apiserver/auth/index.ts';
import { tlsCipherSuites, tlsVersions } from '../../apiserver/http/index.ts';
import { NODE_ADDRESS_TYPES } from '../../apiserver/subresources/index.ts';
import { concurrentSyncsFlags } from '../manager/concurrent-syncs.ts';
import { featureGatesFlag } from '../server/feature-gates.ts';
import { leaderElectionFlags } from '../manager/leader-election.ts';
import { nodePortsFlag, serviceAddressesFlag } from '../server/service-ranges.ts';
import { signingFlags } from '../manager/signing.ts';
import { storageFlags } from '../server/storage.ts';
import { vocabularyFlag, vocabularyOverrideFlag } from './vocabulary-flag.ts';
import { duration, integer, list, oneOf, pairs, path, text, toggle } from './flags.ts';

/** Flags of every daemon. */
export const commonFlags = {
  'data-dir': path('./.orch', 'folder of certificates, keys and the store; created at the first start'),
  vocabulary: vocabularyFlag,
  'feature-gates': featureGatesFlag(),
  v: integer(0, 'log verbosity, 0 to 10', { min: 0, max: 10 }),
};

const SECONDS = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

/** Flags of the API server, named as in kube-apiserver. */
export const apiServerFlags = {
  ...auditFlags,
  ...storageFlags,
  'bind-address': text('127.0.0.1', 'address to listen on'),
  'secure-port': integer(6443, 'port to listen on; 0 takes a free one', { min: 0, max: 65_535 }),
  'enable-admission-plugins': list(
    [],
    'admission plugins to enable in addition to the default ones; the order does not matter',
  ),
  'disable-admission-plugins': list([], 'default admission plugins to disable'),
  'admission-control-config-file': text(
    '',
    'AdmissionConfiguration file with the configuration of admission plugins',
  ),
  'default-not-ready-toleration-seconds': integer(
    300,
    'default seconds that pods stay on a node that is not ready',
    SECONDS,
  ),
  'default-unreachable-toleration-seconds': integer(
    300,
    'default seconds that pods stay on a node that is unreachable',
    SECONDS,
  ),
  'authorization-mode': list(
    ['RBAC'],
    `authorization modes, consulted in this order: ${AUTHORIZATION_MODES.join(', ')}`,
  ),
  'authorization-policy-file': text('', 'policy file for mode ABAC, one JSON object per line'),
  'authorization-webhook-config-file': text(
    '',
    'client configuration of the service for mode Webhook: clusters has its address, users the credential of this server',
  ),
  'authorization-webhook-version': oneOf(
    webhookVersions,
    'v1beta1',
    'version of the reviews that are exchanged with that service',
  ),
  'authorization-webhook-cache-authorized-ttl': duration(
    '5m',
    'time for which allowed requests of that service are cached',
  ),
  'authorization-webhook-cache-unauthorized-ttl': duration(
    '30s',
    'time for which denied requests of that service are cached',
  ),
  'max-requests-inflight': integer(400, 'largest number of concurrent read requests', {
    min: 0,
    max: 1_000_000,
  }),
  'max-mutating-requests-inflight': integer(200, 'largest number of concurrent write requests', {
    min: 0,
    max: 1_000_000,
  }),
  'enable-priority-and-fairness': toggle(
    true,
    'add up both limits and share them by priority, fairly between flows; if false, each limit applies separately and 0 means no limit',
  ),
  'allow-privileged': toggle(false, 'allow pods with privileged containers'),
  'anonymous-auth': toggle(true, 'accept requests without credentials as system:anonymous'),
  'client-ca-file': text(
    '',
    'PEM bundle that verifies client certificates, in addition to the authorities of the data folder',
  ),
  'token-auth-file': text('', 'CSV file of static bearer tokens: token,user,uid,"group1,group2"'),
  'enable-bootstrap-token-auth': toggle(false, 'accept bootstrap tokens'),
  'service-account-key-file': list(
    [],
    'files with PEM keys that verify service-account tokens, in addition to the signing key; default --tls-private-key-file',
  ),
  'service-account-signing-key-file': text(
    '',
    'PEM private key that signs service-account tokens; default that of the data folder',
  ),
  'service-account-lookup': toggle(true, 'reject service-account tokens whose Secret or account was deleted'),
  'service-account-issuer': list(
    [],
    'issuers of service-account tokens: new tokens name the first, all are accepted; default that of the vocabulary',
  ),
  'service-account-jwks-uri': text(
    '',
    'address of the service-account keys in the discovery document; default this server',
  ),
  'service-account-extend-token-expiration': toggle(
    true,
    'extend tokens of injected volumes to a year and count their use after the requested hour as stale',
  ),
  'service-account-max-token-expiration': duration(
    '0',
    'longest lifetime of a service-account token, at least 1h; 0 for no limit',
  ),
  'oidc-issuer-url': text('', 'https address of the OpenID Connect issuer whose tokens are accepted'),
  'oidc-client-id': text('', 'client that these tokens must be issued to'),
  'oidc-username-claim': text('sub', 'claim that names the user'),
  'oidc-username-prefix': text(
    '',
    "prefix of user names; default the issuer's address and #, or none for the claim email; - for none",
  ),
  'oidc-groups-claim': text('', 'claim that names the groups; default none'),
  'oidc-groups-prefix': text('', 'prefix of the groups'),
  'oidc-required-claim': pairs('claim key=value that tokens must have; may be repeated'),
  'oidc-ca-file': text('', "PEM bundle that verifies the issuer; default the machine's roots"),
  'oidc-signing-algs': list(
    ['RS256'],
    `accepted signature algorithms of tokens: ${oidcSigningAlgorithms.join(', ')}`,
  ),
  'authentication-token-webhook-config-file': text(
    '',
    'client configuration of the service that authenticates bearer tokens',
  ),
  'authentication-token-webhook-version': oneOf(
    tokenWebhookVersions,
    'v1beta1',
    'version of the reviews that are exchanged with that service',
  ),
  'authentication-token-webhook-cache-ttl': duration(
    '2m',
    'time for which responses of that service are cached',
  ),
  'api-audiences': list([], 'audiences of the API server; default the issuer'),
  'tls-cert-file': text('', 'PEM certificate to serve with; default that of the data folder'),
  'tls-private-key-file': text('', 'PEM key of --tls-cert-file'),
  'tls-min-version': oneOf(tlsVersions, 'VersionTLS12', 'oldest accepted version of TLS'),
  'tls-cipher-suites': list(
    [],
    'accepted cipher suites of TLS 1.2, by IANA name; default those of Node.js. Those of TLS 1.3 are always accepted',
    tlsCipherSuites,
  ),
  'nodeagent-preferred-address-types': list(
    NODE_ADDRESS_TYPES,
    'types of node addresses for logs, exec, attach and portforward, best first',
  ),
  'nodeagent-client-certificate': text(
    '',
    'PEM client certificate for node agents; default that of the data folder',
  ),
  'nodeagent-client-key': text('', 'PEM key of --nodeagent-client-certificate'),
  'nodeagent-certificate-authority': text(
    '',
    'PEM bundle that verifies node agents; without it they are not verified',
  ),
  'allow-loopback-proxy': toggle(
    false,
    'allow loopback addresses of nodes, pods, services, webhooks and aggregated servers, for test clusters on one machine; never those of this server',
  ),
  'proxy-client-cert-file': text(
    '',
    'PEM client certificate for aggregated API servers; default that of the data folder',
  ),
  'proxy-client-key-file': text('', 'PEM key of --proxy-client-cert-file'),
  'requestheader-client-ca-file': text(
    '',
    'PEM bundle that verifies authenticating proxies; published, so that aggregated API servers verify --proxy-client-cert-file with it',
  ),
  'requestheader-allowed-names': list([], 'accepted common names of such a proxy; default any'),
  'requestheader-username-headers': list(
    [],
    'headers in which a proxy names the user, such as X-Remote-User; the first with a value counts',
  ),
  'requestheader-group-headers': list([], 'headers in which a proxy names groups, such as X-Remote-Group'),
  'requestheader-extra-headers-prefix': list(
    [],
    'prefixes of headers in which a proxy passes extra attributes, such as X-Remote-Extra-',
  ),
  'runtime-config': list(
    [],
    'APIs to enable or disable: group/version=false, group/version/resource=false, api/all, api/ga, api/beta, api/alpha',
  ),
  'request-timeout': duration('1m', 'time limit of a request other than a watch'),
  'min-request-timeout': integer(
    1800,
    'shortest seconds that a watch without a timeout is kept open; the longest is twice that',
    { min: 0, max: 1_000_000_000 },
  ),
  'service-cluster-ip-range': serviceAddressesFlag('10.0.0.0/24'),
  'service-node-port-range': nodePortsFlag('30000-32767'),
  'advertise-address': text(
    '',
    'address at which other machines reach this server; default --bind-address if they can reach it, otherwise an address of the machine',
  ),
  'event-ttl': duration('1h', 'time that events are kept after their last write'),
  'show-hidden-metrics-for-version': oneOf(
    ['', '1.23'],
    '',
    'previous release whose hidden metrics are shown; no other is accepted',
  ),
  http2: toggle(true, 'offer HTTP/2 in addition to HTTP/1.1'),
  'chaos-plan': text('', 'fault plan for requests, for tests only; never use it with data that matters'),
  'chaos-seed': integer(0, 'seed of the random choices in --chaos-plan', { min: 0, max: 2 ** 32 - 1 }),
  'chaos-journal': text('', 'file that records each injected fault of --chaos-plan'),
};

/** Flags of the controllers, named as in kube-controller-manager. */
export const controllerFlags = {
  'journal-entries': integer(
    20_000,
    'journal entries of the controllers that are kept in memory; 0 records nothing',
    { min: 0, max: 1_000_000 },
  ),
  'journal-memory': integer(
    64,
    'memory of the journal in MiB, shared fairly by the keys; 0 keeps only the entries of --journal-entries',
    { min: 0, max: 4_096 },
  ),
  'journal-dir': text(
    '',
    'folder in which the journal is kept over restarts; each process needs its own; default memory only',
  ),
  'journal-dir-size': integer(64, 'maximum size of the folder of --journal-dir in MiB', {
    min: 1,
    max: 16_384,
  }),
  'otlp-endpoint': text(
    '',
    'OpenTelemetry collector that receives a trace of each reconcile over OTLP/HTTP, such as http://127.0.0.1:4318',
  ),
  'journal-inspector': toggle(
    false,
    'stream events at /journal/v1/inspect in the format of the state machine inspector',
  ),
  controllers: list(
    ['*'],
    "controllers to run: '*' for all except bootstrapsigner, tokencleaner and legacy-service-account-token-cleaner, 'name' to add one, '-name' to remove one",
  ),
  'redis-url': text(
    '',
    'Redis through which several controller managers share their work; default an in-process queue',
  ),
  'redis-ca-file': text('', "PEM bundle that verifies a Redis over TLS; default the machine's roots"),
  'redis-cert-file': text('', 'PEM client certificate for a Redis over TLS'),
  'redis-key-file': text('', 'PEM key of --redis-cert-file'),
  ...concurrentSyncsFlags,
  ...signingFlags,
  'legacy-service-account-token-clean-up-period': duration(
    '8760h',
    'time without use after which a generated token Secret is marked, and after the same time again deleted',
  ),
  'resource-quota-sync-period': duration('5m', 'interval at which each resource quota is recounted'),
  'root-ca-file': text(
    '',
    'PEM file of the CA published in namespaces and token Secrets, re-read every five seconds; default that of the data folder, or the authority of --kubeconfig for another server',
  ),
  'service-account-private-key-file': text(
    '',
    'PEM key that signs service-account tokens; default that of the data folder',
  ),
};

/** Flags of a controller manager whose API server is another process. */
export const clientFlags = {
  kubeconfig: text('', 'client configuration file; default controller-manager.conf in the data folder'),
  master: text('', 'address of the API server; overrides the client configuration'),
  'orch-api-qps': integer(0, 'sustained requests per second to the API server; 0 for no limit', {
    min: 0,
    max: 100_000,
  }),
  'orch-api-burst': integer(0, 'burst of requests above the limit; 0 for 1.5 times the limit', {
    min: 0,
    max: 100_000,
  }),
  'healthz-port': integer(0, 'port on 127.0.0.1 for /healthz, /livez, /readyz and /metrics; 0 for none', {
    min: 0,
    max: 65_535,
  }),
  'healthz-dashboard': toggle(
    false,
    'serve /dashboard and /journal on that port too; every user of this machine can then see what the controllers do',
  ),
};

/** Flags of an API server and controllers in one process. */
const togetherFlags = {
  dashboard: toggle(
    true,
    'serve the activity of the controllers at /dashboard and their journal at /journal',
  ),
};

/** Flags of `orch up`: the flags of its API server and its controllers. */
export const upFlags = { ...commonFlags, ...apiServerFlags, ...controllerFlags, ...togetherFlags };
export const dashboardFlags = {
  kubeconfig: text(
    '',
    'client configuration of the API server to show, used with its credential; default the page shows journal files',
  ),
  journal: text('', 'journal file to show; without one the page asks for it'),
  port: integer(0, 'port on 127.0.0.1 to serve the page on; 0 takes a free one', { min: 0, max: 65_535 }),
  vocabulary: vocabularyOverrideFlag,
  v: commonFlags.v,
};
export const machinesFlags = {
  format: oneOf(
    ['', 'mermaid', 'svg', 'json', 'scxml'],
    '',
    'output format: mermaid, svg, json (with the positions of all states) or scxml; default a list of names',
  ),
  output: text('', 'folder that receives one file for each machine, instead of printing'),
};
export const apiServerCommandFlags = { ...commonFlags, ...apiServerFlags };
export const controllerManagerFlags = {
  ...commonFlags,
  ...controllerFlags,
  ...leaderElectionFlags,
  ...clientFlags,
};
