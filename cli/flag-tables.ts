import { featureGatesFlag } from './feature-gates.ts';
import { duration, integer, list, oneOf, text, toggle } from './flags.ts';

/** Flags every daemon has. */
export const commonFlags = {
  'data-dir': text('./.orch', 'folder with certificates, keys and the store; made at the first start'),
  vocabulary: oneOf(
    ['orch', 'kubernetes'],
    'orch',
    'which names identifiers that carry the product word have',
  ),
  'feature-gates': featureGatesFlag(),
  v: integer(0, 'how much is logged, 0 to 10', { min: 0, max: 10 }),
};

/** Flags of the API server, by their names in the specification. */
export const apiServerFlags = {
  'bind-address': text('127.0.0.1', 'address to listen on'),
  'secure-port': integer(6443, 'port to listen on; 0 takes a free one', { min: 0, max: 65_535 }),
  'authorization-mode': list(['RBAC'], 'modes asked in order: RBAC, AlwaysAllow, AlwaysDeny'),
  'anonymous-auth': toggle(true, 'whether requests without credentials are made as system:anonymous'),
  'client-ca-file': text(
    '',
    'PEM bundle that client certificates are verified with, besides the authorities of the data folder',
  ),
  'token-auth-file': text('', 'CSV file of static bearer tokens: token,user,uid,"group1,group2"'),
  'enable-bootstrap-token-auth': toggle(true, 'whether bootstrap tokens authenticate'),
  'service-account-key-file': text(
    '',
    'PEM keys that service-account tokens are verified with; default that of the data folder',
  ),
  'service-account-lookup': toggle(true, 'whether service-account tokens are void once deleted from the API'),
  'service-account-issuer': text('', 'issuer of service-account tokens; default that of the vocabulary'),
  'api-audiences': list([], 'audiences of the API server; default the issuer'),
  'tls-cert-file': text('', 'PEM certificate to serve with; default that of the data folder'),
  'tls-private-key-file': text('', 'PEM key of --tls-cert-file'),
  'proxy-client-cert-file': text(
    '',
    'PEM certificate shown to the servers that requests for their group versions are handed on to; default that of the data folder',
  ),
  'proxy-client-key-file': text('', 'PEM key of --proxy-client-cert-file'),
  'requestheader-client-ca-file': text(
    '',
    'PEM bundle published for those servers to verify --proxy-client-cert-file with; default that of the data folder',
  ),
  'runtime-config': list(
    [],
    'APIs to serve or not: group/version=false, group/version/resource=false, api/all, api/ga, api/beta, api/alpha',
  ),
  'event-ttl': duration('1h', 'how long events live after they were last written'),
  'store-compaction-interval': duration(
    '5m',
    'how often the store forgets what was history the time before; 0 keeps it until its bounds of size are reached',
  ),
  'show-hidden-metrics-for-version': oneOf(
    ['', '1.23'],
    '',
    'the previous release, to show metrics that are hidden since; no other is allowed',
  ),
  http2: toggle(true, 'whether HTTP/2 is offered besides HTTP/1.1'),
};

/** Flags of the controllers, by their names in the specification. */
export const controllerFlags = {
  controllers: list(
    ['*'],
    "controllers to run: '*' all that are on by default, 'name' one, '-name' not that one",
  ),
  'redis-url': text(
    '',
    'Redis that many controller managers share their work over; default the queue is in process',
  ),
  'cluster-signing-cert-file': text(
    '',
    'PEM certificate that signs certificate requests; default that of the data folder',
  ),
  'cluster-signing-key-file': text('', 'PEM key of --cluster-signing-cert-file'),
  'cluster-signing-duration': duration('8760h', 'longest life time of signed certificates'),
  'root-ca-file': text(
    '',
    'PEM of the CA that is published to namespaces and token Secrets; default that of the data folder',
  ),
  'service-account-private-key-file': text(
    '',
    'PEM key that signs service-account tokens; default that of the data folder',
  ),
};

/** How the controller manager reaches its API server when that is another process. */
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
  'healthz-port': integer(0, 'port on 127.0.0.1 that answers /healthz and /metrics; 0 for none', {
    min: 0,
    max: 65_535,
  }),
};

export const upFlags = { ...commonFlags, ...apiServerFlags, ...controllerFlags };
export const apiServerCommandFlags = { ...commonFlags, ...apiServerFlags };
export const controllerManagerFlags = { ...commonFlags, ...controllerFlags, ...clientFlags };
