import { type KeyObject, createPrivateKey, createPublicKey } from 'node:crypto';
import { pods, secrets, serviceAccounts } from '../api/groups/core-v1.ts';
import type { Vocabulary } from '../api/vocabulary/vocabulary.ts';
import { anonymous } from '../apiserver/auth/anonymous.ts';
import { createBearerAuthenticator, createTokenChain } from '../apiserver/auth/bearer.ts';
import { createBootstrapTokenAuthenticator } from '../apiserver/auth/bootstrap-token.ts';
import {
  createClientCertificateAuthenticator,
  parseCertificates,
} from '../apiserver/auth/client-certificate.ts';
import { issuerDiscovery } from '../apiserver/auth/issuer-discovery.ts';
import { type OidcSettings, checkOidcSettings, createOidcAuthenticator } from '../apiserver/auth/oidc.ts';
import { type IdentityHeaders, createRequestHeaderAuthenticator } from '../apiserver/auth/request-header.ts';
import { selfSubjectReviewHandlers } from '../apiserver/auth/self-subject-review.ts';
import { createServiceAccountAuthenticator } from '../apiserver/auth/service-account.ts';
import {
  type TokenEntry,
  createTokenFileAuthenticator,
  parseTokenFile,
} from '../apiserver/auth/token-file.ts';
import { createTokenCacheMetrics } from '../apiserver/auth/token-memory.ts';
import { createTokenRequestHandler } from '../apiserver/auth/token-request.ts';
import { createTokenReviewHandler } from '../apiserver/auth/token-review.ts';
import { type TokenWebhookVersion, createTokenWebhook } from '../apiserver/auth/token-webhook.ts';
import type { FixedDocument } from '../apiserver/discovery/fixed-documents.ts';
import type { VirtualHandler } from '../apiserver/http/virtual.ts';
import { type Remote, createRemoteReview } from '../apiserver/outbound/remote-review.ts';
import type { Registry } from '../apiserver/registry/registry.ts';
import type { Authenticator, TokenAuthenticator } from '../apiserver/request.ts';
import type { Environment } from '../base/environment.ts';
import type { Outbound } from '../base/http/outbound.ts';
import type { Metrics } from '../base/metrics/metrics.ts';
import { createTokenIssuer } from '../base/tokens/issuer.ts';
import { keyIdOf } from '../base/tokens/keys.ts';
import { requireCertificates } from './aggregation.ts';
import { memoizedByRegistry } from './by-registry.ts';
import { readParsed, readRequired } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { readRemote } from './remote.ts';

/** How it is found out who asks; flags and files have been read. */
export interface AuthenticationSettings {
  /** PEM bundle that client certificates are verified with. */
  readonly clientCa: string;
  /** Signs tokens made by token requests. */
  readonly serviceAccountKey: KeyObject;
  /** Verify service-account tokens besides the public half of `serviceAccountKey`. Default none. */
  readonly serviceAccountKeys?: readonly KeyObject[];
  /** `iss` of the tokens that are made; default the vocabulary's. */
  readonly issuer?: string;
  /** Further issuers whose tokens are taken: those of before. */
  readonly otherIssuers?: readonly string[];
  /** Default the issuers. */
  readonly apiAudiences?: readonly string[];
  readonly serviceAccountLookup?: boolean;
  /** Where other services find the keys of service-account tokens; default on this server. */
  readonly jwksUri?: string;
  /** Default true. */
  readonly extendTokenExpiration?: boolean;
  /** Longest life of a token; default no limit. */
  readonly maxTokenExpirationSeconds?: number;
  readonly bootstrapTokens?: boolean;
  /** Default true; never in mode AlwaysAllow. */
  readonly anonymous?: boolean;
  readonly tokenFile?: readonly TokenEntry[];
  readonly oidc?: OidcSettings;
  readonly tokenWebhook?: TokenWebhookSettings;
  /** A proxy that is believed whom a request comes from. */
  readonly authenticatingProxy?: AuthenticatingProxy;
}

export interface TokenWebhookSettings {
  readonly remote: Remote;
  readonly version: TokenWebhookVersion;
  readonly ttlMs: number;
}

export interface AuthenticatingProxy {
  /** PEM bundle that its certificate is verified with. */
  readonly clientCa: string;
  /** Empty for any. */
  readonly allowedNames: readonly string[];
  readonly headers: IdentityHeaders;
}

type Flags = FlagValues<typeof apiServerCommandFlags>;
type Reading = { readonly vocabulary: Vocabulary; readonly clock: Environment['clock'] };

const PEM_BLOCK = /-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/g;

function publicKeysOf(text: string): readonly KeyObject[] {
  const blocks = text.match(PEM_BLOCK);
  if (blocks === null) throw new Error('no PEM block found');
  return blocks.map((pem) => createPublicKey(pem));
}

/** Reads the flags and the files they name. Throws for what cannot be meant. */
export async function readAuthentication(
  flags: Flags,
  own: { readonly clientCa: string; readonly serviceAccountKey: KeyObject },
  reading: Reading,
): Promise<AuthenticationSettings> {
  const tokenFile = flags['token-auth-file'];
  const [oidc, tokenWebhook, proxy] = await Promise.all([
    readOidc(flags),
    readTokenWebhook(flags, reading),
    readProxy(flags),
  ]);
  return {
    ...own,
    ...(await readServiceAccounts(flags)),
    apiAudiences: flags['api-audiences'],
    bootstrapTokens: flags['enable-bootstrap-token-auth'],
    anonymous: flags['anonymous-auth'],
    ...(tokenFile !== '' && { tokenFile: parseTokenFile(await readRequired(tokenFile)) }),
    ...(oidc && { oidc }),
    ...(tokenWebhook && { tokenWebhook }),
    ...(proxy && { authenticatingProxy: proxy }),
  };
}

const HOUR_MS = 3_600_000;

async function readServiceAccounts(flags: Flags): Promise<Partial<AuthenticationSettings>> {
  const [issuer, ...otherIssuers] = flags['service-account-issuer'];
  for (const each of flags['service-account-issuer'])
    if (each.includes(':') && !URL.canParse(each))
      throw new UsageError(
        `service-account-issuer ${JSON.stringify(each)} contained a ':' but was not a valid URL`,
      );
  if (new Set(flags['service-account-issuer']).size < flags['service-account-issuer'].length)
    throw new UsageError('an issuer stands in --service-account-issuer more than once');
  const jwksUri = flags['service-account-jwks-uri'];
  if (jwksUri !== '' && !(URL.canParse(jwksUri) && new URL(jwksUri).protocol === 'https:'))
    throw new UsageError('service-account-jwks-uri requires https scheme');
  const longestMs = flags['service-account-max-token-expiration'];
  if (longestMs !== 0 && (longestMs < HOUR_MS || longestMs > 2 ** 32 * 1000))
    throw new UsageError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  const signingFile = flags['service-account-signing-key-file'];
  const keys = await Promise.all(
    flags['service-account-key-file'].map((path) => readParsed(path, 'PEM keys', publicKeysOf)),
  );
  return {
    ...(signingFile !== '' && {
      serviceAccountKey: await readParsed(signingFile, 'a PEM private key', (pem) => createPrivateKey(pem)),
    }),
    serviceAccountKeys: keys.flat(),
    serviceAccountLookup: flags['service-account-lookup'],
    ...(issuer !== undefined && { issuer, otherIssuers }),
    ...(jwksUri !== '' && { jwksUri }),
    extendTokenExpiration: flags['service-account-extend-token-expiration'],
    ...(longestMs !== 0 && { maxTokenExpirationSeconds: Math.floor(longestMs / 1000) }),
  };
}

async function readOidc(flags: Flags): Promise<OidcSettings | undefined> {
  const issuerUrl = flags['oidc-issuer-url'];
  const clientId = flags['oidc-client-id'];
  if ((issuerUrl === '') !== (clientId === ''))
    throw new UsageError('oidc-issuer-url and oidc-client-id should be specified together');
  if (issuerUrl === '') return undefined;
  if (flags['oidc-username-claim'] === '') throw new UsageError('no username claim provided');
  const caFile = flags['oidc-ca-file'];
  const settings: OidcSettings = {
    issuerUrl,
    clientId,
    ...(caFile !== '' && { ca: await readParsed(caFile, 'PEM certificates', requireCertificates) }),
    usernameClaim: flags['oidc-username-claim'],
    usernamePrefix: flags['oidc-username-prefix'],
    groupsClaim: flags['oidc-groups-claim'],
    groupsPrefix: flags['oidc-groups-prefix'],
    requiredClaims: flags['oidc-required-claim'],
    signingAlgorithms: flags['oidc-signing-algs'],
  };
  checkOidcSettings(settings);
  return settings;
}

async function readTokenWebhook(flags: Flags, reading: Reading): Promise<TokenWebhookSettings | undefined> {
  const path = flags['authentication-token-webhook-config-file'];
  if (path === '') return undefined;
  return {
    remote: await readRemote(path, reading),
    version: flags['authentication-token-webhook-version'],
    ttlMs: flags['authentication-token-webhook-cache-ttl'],
  };
}

/** The names of headers as the flags give them. */
const identityHeadersOf = (flags: Flags): IdentityHeaders => ({
  username: flags['requestheader-username-headers'],
  group: flags['requestheader-group-headers'],
  extraPrefix: flags['requestheader-extra-headers-prefix'],
});

async function readProxy(flags: Flags): Promise<AuthenticatingProxy | undefined> {
  const caFile = flags['requestheader-client-ca-file'];
  const headers = identityHeadersOf(flags);
  if (caFile === '') {
    if (headers.username.length > 0)
      throw new UsageError('--requestheader-username-headers needs --requestheader-client-ca-file');
    return undefined;
  }
  return {
    clientCa: await readParsed(caFile, 'PEM certificates', requireCertificates),
    allowedNames: flags['requestheader-allowed-names'],
    headers,
  };
}

/** The parts of a server that deal with who asks. */
export interface Authentication {
  readonly authenticators: (registry: Registry, metrics: Metrics) => readonly Authenticator[];
  /** Reviews and requests of tokens. */
  readonly virtual: (registry: Registry, metrics: Metrics) => readonly VirtualHandler[];
  /** Where others find out how service-account tokens are verified. */
  readonly documents: readonly FixedDocument[];
  readonly identityHeaders: IdentityHeaders | undefined;
}

export interface AuthenticationParts {
  readonly vocabulary: Vocabulary;
  readonly environment: Environment;
  readonly outbound: Outbound | undefined;
  readonly serverUrl: () => string;
}

/** All methods in the order of the real system: the proxy, certificates, then tokens, local ones first. */
export function assembleAuthentication(
  settings: AuthenticationSettings,
  { vocabulary, environment, outbound, serverUrl }: AuthenticationParts,
): Authentication {
  const { clock } = environment;
  const issuer = createTokenIssuer({
    privateKey: settings.serviceAccountKey,
    issuer: settings.issuer ?? vocabulary.issuer,
    names: vocabulary,
  });
  const issuers = [issuer.issuer, ...(settings.otherIssuers ?? [])];
  const apiAudiences = settings.apiAudiences?.length ? settings.apiAudiences : issuers;
  const publicKeys = distinctKeys([issuer.publicKey, ...(settings.serviceAccountKeys ?? [])]);
  const accountsOf = (registry: Registry) => ({
    vocabulary,
    clock,
    serviceAccounts: registry.reader(serviceAccounts),
    secrets: registry.reader(secrets),
    pods: registry.reader(pods),
    lookup: settings.serviceAccountLookup ?? true,
  });
  const tokens = memoizedByRegistry((registry, metrics: Metrics): TokenAuthenticator => {
    const tokenCache = createTokenCacheMetrics(metrics, clock);
    const local = [
      ...(settings.tokenFile ? [createTokenFileAuthenticator(settings.tokenFile)] : []),
      createServiceAccountAuthenticator({
        ...accountsOf(registry),
        publicKeys,
        issuers,
        apiAudiences,
        metrics,
        tokenCache,
      }),
      ...((settings.bootstrapTokens ?? true)
        ? [createBootstrapTokenAuthenticator({ secrets: registry.reader(secrets), vocabulary, clock })]
        : []),
    ];
    const remote = remoteAuthenticators(settings, {
      ...environment,
      outbound,
      vocabulary,
      apiAudiences,
      tokenCache,
    });
    return createTokenChain({ apiAudiences, authenticators: [...local, ...remote] });
  });
  return {
    authenticators: (registry, metrics) => [
      ...proxyAuthenticators(settings, clock),
      createClientCertificateAuthenticator({
        clientCa: parseCertificates(settings.clientCa),
        clock,
        metrics,
      }),
      createBearerAuthenticator(tokens(registry, metrics)),
      ...((settings.anonymous ?? true) ? [anonymous] : []),
    ],
    virtual: (registry, metrics) => [
      createTokenReviewHandler(tokens(registry, metrics), apiAudiences),
      createTokenReviewHandler(tokens(registry, metrics), apiAudiences, 'v1beta1'),
      ...selfSubjectReviewHandlers,
      createTokenRequestHandler({ ...accountsOf(registry), ...lifetimesOf(settings), issuer, apiAudiences }),
    ],
    documents: issuerDiscovery({
      issuer: issuer.issuer,
      publicKeys,
      serverUrl,
      ...(settings.jwksUri !== undefined && { jwksUri: settings.jwksUri }),
    }),
    identityHeaders: settings.authenticatingProxy?.headers,
  };
}

const distinctKeys = (keys: readonly KeyObject[]): readonly KeyObject[] => [
  ...new Map(keys.map((key) => [keyIdOf(key), key])).values(),
];

const lifetimesOf = ({ extendTokenExpiration, maxTokenExpirationSeconds }: AuthenticationSettings) => ({
  ...(extendTokenExpiration !== undefined && { extendExpiration: extendTokenExpiration }),
  ...(maxTokenExpirationSeconds !== undefined && { maxExpirationSeconds: maxTokenExpirationSeconds }),
});

const proxyAuthenticators = (
  { authenticatingProxy }: AuthenticationSettings,
  clock: Environment['clock'],
): readonly Authenticator[] =>
  authenticatingProxy === undefined
    ? []
    : [
        createRequestHeaderAuthenticator({
          ...authenticatingProxy,
          clientCa: parseCertificates(authenticatingProxy.clientCa),
          clock,
        }),
      ];

/** The whole time in which a token webhook must have answered one try. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** Those that ask others: they come last, so that they see no token that is known here. */
function remoteAuthenticators(
  { oidc, tokenWebhook }: AuthenticationSettings,
  parts: Environment & {
    readonly outbound: Outbound | undefined;
    readonly vocabulary: Vocabulary;
    readonly apiAudiences: readonly string[];
    readonly tokenCache: ReturnType<typeof createTokenCacheMetrics>;
  },
): readonly TokenAuthenticator[] {
  const { outbound } = parts;
  if (oidc === undefined && tokenWebhook === undefined) return [];
  if (outbound === undefined) throw new UsageError('tokens that others know need a way to them');
  return [
    ...(oidc ? [createOidcAuthenticator({ ...oidc, ...parts, outbound })] : []),
    ...(tokenWebhook
      ? [
          createTokenWebhook({
            ...parts,
            ...tokenWebhook,
            post: createRemoteReview({
              ...parts,
              outbound,
              remote: tokenWebhook.remote,
              timeoutMs: WEBHOOK_TIMEOUT_MS,
            }),
          }),
        ]
      : []),
  ];
}
