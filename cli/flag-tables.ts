import { AUTHORIZATION_MODES } from '../apiserver/authorization/modes.ts';
import { webhookVersions } from '../apiserver/authorization/webhook.ts';
import { auditFlags } from './audit-flags.ts';
import { oidcSigningAlgorithms } from '../apiserver/auth/oidc.ts';
import { tokenWebhookVersions } from '../apiserver/auth/token-webhook.ts';
import { tlsCipherSuites, tlsVersions } from '../apiserver/http/tls-protocol.ts';
import { NODE_ADDRESS_TYPES } from '../apiserver/subresources/node-agents.ts';
import { concurrentSyncsFlags } from './concurrent-syncs.ts';
import { featureGatesFlag } from './feature-gates.ts';
import { leaderElectionFlags } from './leader-election.ts';
import { nodePortsFlag, serviceAddressesFlag } from './service-ranges.ts';
import { signingFlags } from './signing.ts';
import { storageFlags } from './storage.ts';
import { vocabularyFlag, vocabularyOverrideFlag } from './vocabulary-flag.ts';
import { duration, integer, list, oneOf, pairs, path, text, toggle } from './flags.ts';

/** Flags of every daemon. */
export const commonFlags = {
  'data-dir': path('./.orch', 'folder with certificates, keys and the store; made at the first start'),
  vocabulary: vocabularyFlag,
  'feature-gates': featureGatesFlag(),
  v: integer(0, 'how much is logged, 0 to 10', { min: 0, max: 10 }),
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
    'admission plugins to run besides those that run by default; their order does not matter',
  ),
  'disable-admission-plugins': list([], 'admission plugins not to run though they do by default'),
  'admission-control-config-file': text('', 'AdmissionConfiguration, how admission plugins are configured'),
  'default-not-ready-toleration-seconds': integer(
    300,
    'seconds pods stay by default on a node that is not ready',
    SECONDS,
  ),
  'default-unreachable-toleration-seconds': integer(
    300,
    'seconds pods stay by default on a node that cannot be reached',
    SECONDS,
  ),
  'authorization-mode': list(['RBAC'], `modes asked in order: ${AUTHORIZATION_MODES.join(', ')}`),
  'authorization-policy-file': text('', 'file with one JSON policy a line, for mode ABAC'),
  'authorization-webhook-config-file': text(
    '',
    'client configuration file of the service that mode Webhook asks: clusters says where it is, users what it knows this server by',
  ),
  'authorization-webhook-version': oneOf(
    webhookVersions,
    'v1beta1',
    'version of the reviews that are sent to that service, and expected from it',
  ),
  'authorization-webhook-cache-authorized-ttl': duration(
    '5m',
    'how long that service is not asked again for what it allowed',
  ),
  'authorization-webhook-cache-unauthorized-ttl': duration(
    '30s',
    'how long that service is not asked again for what it did not allow',
  ),
  'max-requests-inflight': integer(400, 'requests that read, served at a time', {
    min: 0,
    max: 1_000_000,
  }),
  'max-mutating-requests-inflight': integer(200, 'requests that write, served at a time', {
    min: 0,
    max: 1_000_000,
  }),
  'enable-priority-and-fairness': toggle(
    true,
    'whether both limits are added up and shared out by priorities, fairly between flows; otherwise each holds by itself, 0 for none',
  ),
  'allow-privileged': toggle(false, 'whether pods may have containers that are privileged'),
  'anonymous-auth': toggle(true, 'whether requests without credentials are made as system:anonymous'),
  'client-ca-file': text(
    '',
    'PEM bundle that client certificates are verified with, besides the authorities of the data folder',
  ),
  'token-auth-file': text('', 'CSV file of static bearer tokens: token,user,uid,"group1,group2"'),
  'enable-bootstrap-token-auth': toggle(false, 'whether bootstrap tokens authenticate'),
  'service-account-key-file': list(
    [],
    'files with PEM keys that service-account tokens are verified with, besides the one that signs them; default that of --tls-private-key-file',
  ),
  'service-account-signing-key-file': text(
    '',
    'PEM private key that signs service-account tokens; default that of the data folder',
  ),
  'service-account-lookup': toggle(true, 'whether service-account tokens are void once deleted from the API'),
  'service-account-issuer': list(
    [],
    'issuers of service-account tokens: the first is in those that are made, all are taken; default that of the vocabulary',
  ),
  'service-account-jwks-uri': text(
    '',
    'address that the discovery document names for the keys of service-account tokens; default on this server',
  ),
  'service-account-extend-token-expiration': toggle(
    true,
    'whether tokens of injected volumes live a year, and are counted as stale after the hour that was asked for',
  ),
  'service-account-max-token-expiration': duration(
    '0',
    'longest life of a service-account token, from 1h on; 0 for no limit',
  ),
  'oidc-issuer-url': text('', 'address, with https, of the OpenID Connect issuer whose tokens are taken'),
  'oidc-client-id': text('', 'client that those tokens must have been issued to'),
  'oidc-username-claim': text('sub', 'claim that names the user'),
  'oidc-username-prefix': text(
    '',
    "prefix of user names; default the issuer's address and #, none for the claim email; - for none",
  ),
  'oidc-groups-claim': text('', 'claim that names the groups; default none'),
  'oidc-groups-prefix': text('', 'prefix of the groups'),
  'oidc-required-claim': pairs('key=value that tokens must have; may be given several times'),
  'oidc-ca-file': text('', "PEM bundle that the issuer is verified with; default the machine's roots"),
  'oidc-signing-algs': list(
    ['RS256'],
    `algorithms that tokens may be signed with: ${oidcSigningAlgorithms.join(', ')}`,
  ),
  'authentication-token-webhook-config-file': text(
    '',
    'client configuration file of the service that is asked whose a token is',
  ),
  'authentication-token-webhook-version': oneOf(
    tokenWebhookVersions,
    'v1beta1',
    'version of the reviews that are sent to that service, and expected from it',
  ),
  'authentication-token-webhook-cache-ttl': duration('2m', 'how long that service is not asked again'),
  'api-audiences': list([], 'audiences of the API server; default the issuer'),
  'tls-cert-file': text('', 'PEM certificate to serve with; default that of the data folder'),
  'tls-private-key-file': text('', 'PEM key of --tls-cert-file'),
  'tls-min-version': oneOf(tlsVersions, 'VersionTLS12', 'oldest version of TLS that clients may speak'),
  'tls-cipher-suites': list(
    [],
    'cipher suites of TLS 1.2 that clients may choose from, by the names of the IANA; default those of Node. TLS 1.3 has all of its own',
    tlsCipherSuites,
  ),
  'nodeagent-preferred-address-types': list(
    NODE_ADDRESS_TYPES,
    'kinds of addresses at which nodes are reached for logs, exec, attach and portforward, best first',
  ),
  'nodeagent-client-certificate': text(
    '',
    'PEM certificate shown to the agents of nodes; default that of the data folder',
  ),
  'nodeagent-client-key': text('', 'PEM key of --nodeagent-client-certificate'),
  'nodeagent-certificate-authority': text(
    '',
    'PEM bundle that the agents of nodes are verified with; without it they are not',
  ),
  'allow-loopback-proxy': toggle(
    false,
    'whether the addresses of nodes, pods, services, webhooks and aggregated servers may be loopback ones, for test clusters on one machine; never those of this server itself',
  ),
  'proxy-client-cert-file': text(
    '',
    'PEM certificate shown to the servers that requests for their group versions are handed on to; default that of the data folder',
  ),
  'proxy-client-key-file': text('', 'PEM key of --proxy-client-cert-file'),
  'requestheader-client-ca-file': text(
    '',
    'PEM bundle that proxies are verified with before they are believed who asks; published, so that the servers behind this one verify --proxy-client-cert-file with it',
  ),
  'requestheader-allowed-names': list([], 'common names such a proxy may have; default any'),
  'requestheader-username-headers': list(
    [],
    'headers by which a proxy names the user, as X-Remote-User; the first with a value counts',
  ),
  'requestheader-group-headers': list([], 'headers by which a proxy names groups, as X-Remote-Group'),
  'requestheader-extra-headers-prefix': list(
    [],
    'prefixes of headers by which a proxy gives extra attributes, as X-Remote-Extra-',
  ),
  'runtime-config': list(
    [],
    'APIs to serve or not: group/version=false, group/version/resource=false, api/all, api/ga, api/beta, api/alpha',
  ),
  'request-timeout': duration('1m', 'how long a request may take that is no watch'),
  'min-request-timeout': integer(
    1800,
    'seconds a watch is kept open at least that asks for no time; the longest is twice that',
    { min: 0, max: 1_000_000_000 },
  ),
  'service-cluster-ip-range': serviceAddressesFlag('10.0.0.0/24'),
  'service-node-port-range': nodePortsFlag('30000-32767'),
  'advertise-address': text(
    '',
    'address at which members of the cluster reach this server; default --bind-address where that is one they can reach, else one of the machine',
  ),
  'event-ttl': duration('1h', 'how long events live after they were last written'),
  'show-hidden-metrics-for-version': oneOf(
    ['', '1.23'],
    '',
    'the previous release, to show metrics that are hidden since; no other is allowed',
  ),
  http2: toggle(true, 'whether HTTP/2 is offered besides HTTP/1.1'),
  'chaos-plan': text(
    '',
    'fault plan: file with what goes wrong with requests, for tests; never where data matters',
  ),
  'chaos-seed': integer(0, 'what is undecided in --chaos-plan is drawn from', { min: 0, max: 2 ** 32 - 1 }),
  'chaos-journal': text('', 'file that each fault of --chaos-plan is written to when it strikes'),
};

/** Flags of the controllers, named as in kube-controller-manager. */
export const controllerFlags = {
  'journal-entries': integer(
    20_000,
    'how much is kept in memory of what the controllers did, in entries; 0 records nothing',
    { min: 0, max: 1_000_000 },
  ),
  'journal-inspector': toggle(
    false,
    'whether /journal/v1/inspect streams events as the inspector of the machines takes them',
  ),
  controllers: list(
    ['*'],
    "controllers to run: '*' all but bootstrapsigner, tokencleaner and legacy-service-account-token-cleaner, 'name' one, '-name' not that one",
  ),
  'redis-url': text(
    '',
    'Redis that many controller managers share their work over; default the queue is in process',
  ),
  'redis-ca-file': text('', "PEM bundle that a Redis over TLS is verified with; default the machine's roots"),
  'redis-cert-file': text('', 'PEM certificate shown to a Redis over TLS'),
  'redis-key-file': text('', 'PEM key of --redis-cert-file'),
  ...concurrentSyncsFlags,
  ...signingFlags,
  'legacy-service-account-token-clean-up-period': duration(
    '8760h',
    'how long a generated token Secret must be unused before it is marked, and again before it is deleted',
  ),
  'resource-quota-sync-period': duration('5m', 'how often each resource quota is counted anew'),
  'root-ca-file': text(
    '',
    'PEM of the CA that is published to namespaces and token Secrets, read again every five seconds; default that of the data folder',
  ),
  'service-account-private-key-file': text(
    '',
    'PEM key that signs service-account tokens; default that of the data folder',
  ),
};

/** Flags for a controller manager whose API server is another process. */
export const clientFlags = {
  kubeconfig: text('', 'client configuration file; default controller-manager.conf in the data folder'),
  master: text('', 'address of the API server, instead of that in the client configuration'),
  'orch-api-qps': integer(0, 'requests a second to the API server in the long run; 0 for no limit', {
    min: 0,
    max: 100_000,
  }),
  'orch-api-burst': integer(
    0,
    'requests at once before the limit holds them back; 0 for 1.5 times the limit',
    {
      min: 0,
      max: 100_000,
    },
  ),
  'healthz-port': integer(
    0,
    'port on 127.0.0.1 that answers /healthz, /livez, /readyz and /metrics; 0 for none',
    {
      min: 0,
      max: 65_535,
    },
  ),
  'healthz-dashboard': toggle(
    false,
    'whether that port answers /dashboard and /journal too: everyone on this machine then sees what the controllers do',
  ),
};

/** Flags for API server and controllers in one process. */
const togetherFlags = {
  dashboard: toggle(true, 'whether /dashboard shows the controllers at work, and /journal tells of it'),
};

export const upFlags = { ...commonFlags, ...apiServerFlags, ...controllerFlags, ...togetherFlags };
export const dashboardFlags = {
  kubeconfig: text(
    '',
    'client configuration of an API server to show, with the credential in it; default the page shows journal files',
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
    'mermaid, svg, json (with the places of all states) or scxml; without one the names are listed',
  ),
  output: text('', 'folder to write a file for each machine to, instead of printing one'),
};
export const apiServerCommandFlags = { ...commonFlags, ...apiServerFlags };
export const controllerManagerFlags = {
  ...commonFlags,
  ...controllerFlags,
  ...leaderElectionFlags,
  ...clientFlags,
};
