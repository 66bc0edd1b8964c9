import type { KeyObject } from 'node:crypto';
import { pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { anonymous } from '../auth/anonymous.ts';
import { createBearerAuthenticator, createTokenChain } from '../auth/bearer.ts';
import { createBootstrapTokenAuthenticator } from '../auth/bootstrap-token.ts';
import { createClientCertificateAuthenticator, liveCertificates } from '../auth/client-certificate.ts';
import { issuerDiscovery } from '../auth/issuer-discovery.ts';
import { type OidcSettings, createOidcAuthenticator } from '../auth/oidc.ts';
import { type IdentityHeaders, createRequestHeaderAuthenticator } from '../auth/request-header.ts';
import { selfSubjectReviewHandlers } from '../auth/self-subject-review.ts';
import { createServiceAccountAuthenticator } from '../auth/service-account.ts';
import { type TokenEntry, createTokenFileAuthenticator } from '../auth/token-file.ts';
import { type TokenCacheMetrics, createTokenCacheMetrics } from '../auth/token-memory.ts';
import { createTokenRequestHandler } from '../auth/token-request.ts';
import { createTokenReviewHandler } from '../auth/token-review.ts';
import { type TokenWebhookVersion, createTokenWebhook } from '../auth/token-webhook.ts';
import { createWebSocketTokenAuthenticator } from '../auth/web-socket-token.ts';
import type { FixedDocument } from '../discovery/fixed-documents.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import { type Remote, createRemoteReview } from '../outbound/remote-review.ts';
import type { Registry } from '../registry/registry.ts';
import type { Authenticator, TokenAuthenticator } from '../request.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { type TokenIssuer, createTokenIssuer, keyIdOf } from '../../base/tokens/index.ts';
import { AssemblyError } from './assembly-error.ts';
import { memoizedByRegistry } from './by-registry.ts';

/** How it is found out who asks; flags and files have been read. */
export interface AuthenticationSettings {
  /** PEM bundle that client certificates are verified with. */
  readonly clientCa: Live<string>;
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

/** Webhook that checks bearer tokens. `ttlMs`: how long its answers are cached. */
export interface TokenWebhookSettings {
  readonly remote: Remote;
  readonly version: TokenWebhookVersion;
  readonly ttlMs: number;
}

/** Front proxy that names the user in headers. */
export interface AuthenticatingProxy {
  /** PEM bundle that its certificate is verified with. */
  readonly clientCa: Live<string>;
  /** Empty for any. */
  readonly allowedNames: readonly string[];
  readonly headers: IdentityHeaders;
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
  parts: AuthenticationParts,
): Authentication {
  const { vocabulary, environment, serverUrl } = parts;
  const { clock } = environment;
  const trust = trustOf(settings, vocabulary);
  const { issuer, apiAudiences, publicKeys } = trust;
  const tokens = memoizedByRegistry((registry, metrics: Metrics): TokenAuthenticator => {
    const tokenCache = createTokenCacheMetrics(metrics, clock);
    const context = { ...parts, ...trust, registry, metrics, tokenCache };
    const authenticators = [...localTokens(settings, context), ...remoteTokens(settings, context)];
    return createTokenChain({ apiAudiences, authenticators });
  });
  return {
    authenticators: (registry, metrics) => [
      ...proxyAuthenticators(settings, clock),
      createClientCertificateAuthenticator({
        clientCa: liveCertificates(settings.clientCa),
        clock,
        metrics,
      }),
      createBearerAuthenticator(tokens(registry, metrics)),
      createWebSocketTokenAuthenticator(tokens(registry, metrics), vocabulary),
      ...((settings.anonymous ?? true) ? [anonymous] : []),
    ],
    virtual: (registry, metrics) => [
      createTokenReviewHandler(tokens(registry, metrics), apiAudiences),
      createTokenReviewHandler(tokens(registry, metrics), apiAudiences, 'v1beta1'),
      ...selfSubjectReviewHandlers,
      createTokenRequestHandler({
        ...accountsOf(settings, parts, registry),
        ...lifetimesOf(settings),
        issuer,
        apiAudiences,
      }),
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

/** Who makes service-account tokens, and which are taken. */
interface TokenTrust {
  readonly issuer: TokenIssuer;
  readonly issuers: readonly string[];
  readonly apiAudiences: readonly string[];
  readonly publicKeys: readonly KeyObject[];
}

function trustOf(settings: AuthenticationSettings, vocabulary: Vocabulary): TokenTrust {
  const issuer = createTokenIssuer({
    privateKey: settings.serviceAccountKey,
    issuer: settings.issuer ?? vocabulary.issuer,
    names: vocabulary,
  });
  const issuers = [issuer.issuer, ...(settings.otherIssuers ?? [])];
  return {
    issuer,
    issuers,
    apiAudiences: settings.apiAudiences?.length ? settings.apiAudiences : issuers,
    publicKeys: distinctKeys([issuer.publicKey, ...(settings.serviceAccountKeys ?? [])]),
  };
}

/** What tokens of one server are authenticated with. */
interface TokenContext extends AuthenticationParts, TokenTrust {
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly tokenCache: TokenCacheMetrics;
}

/** Where the service accounts are that tokens are issued to, and what binds them. */
const accountsOf = (
  { serviceAccountLookup = true }: AuthenticationSettings,
  { vocabulary, environment: { clock } }: AuthenticationParts,
  registry: Registry,
) => ({
  vocabulary,
  clock,
  serviceAccounts: registry.reader(serviceAccounts),
  secrets: registry.reader(secrets),
  pods: registry.reader(pods),
  lookup: serviceAccountLookup,
});

/** Those that are known here. */
function localTokens(settings: AuthenticationSettings, context: TokenContext): readonly TokenAuthenticator[] {
  const { registry, vocabulary, environment, publicKeys, issuers, apiAudiences, metrics, tokenCache } =
    context;
  const { tokenFile, bootstrapTokens = true } = settings;
  return [
    ...(tokenFile ? [createTokenFileAuthenticator(tokenFile)] : []),
    createServiceAccountAuthenticator({
      ...accountsOf(settings, context, registry),
      publicKeys,
      issuers,
      apiAudiences,
      metrics,
      tokenCache,
    }),
    ...(bootstrapTokens
      ? [
          createBootstrapTokenAuthenticator({
            secrets: registry.reader(secrets),
            vocabulary,
            clock: environment.clock,
          }),
        ]
      : []),
  ];
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
          clientCa: liveCertificates(authenticatingProxy.clientCa),
          clock,
        }),
      ];

/** The whole time in which a token webhook must have answered one try. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** Those that ask others: they come last, so that they see no token that is known here. */
function remoteTokens(
  { oidc, tokenWebhook }: AuthenticationSettings,
  context: TokenContext,
): readonly TokenAuthenticator[] {
  const { outbound, environment } = context;
  if (oidc === undefined && tokenWebhook === undefined) return [];
  if (outbound === undefined)
    throw new AssemblyError('ERR_NO_OUTBOUND', 'tokens that others know need a way to them');
  const parts = { ...environment, ...context, outbound };
  return [
    ...(oidc ? [createOidcAuthenticator({ ...parts, ...oidc })] : []),
    ...(tokenWebhook
      ? [
          createTokenWebhook({
            ...parts,
            ...tokenWebhook,
            post: createRemoteReview({
              ...parts,
              remote: tokenWebhook.remote,
              timeoutMs: WEBHOOK_TIMEOUT_MS,
            }),
          }),
        ]
      : []),
  ];
}
