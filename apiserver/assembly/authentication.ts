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
import type { VirtualHandler } from '../http/virtual/virtual.ts';
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

/** Settings of authentication, after flags and files have been read. */
export interface AuthenticationSettings {
  /** PEM bundle of the certificate authorities that client certificates are verified against. */
  readonly clientCa: Live<string>;
  /** Private key that signs the tokens of TokenRequests. */
  readonly serviceAccountKey: KeyObject;
  /**
   * Keys that verify ServiceAccount tokens, in addition to the public half of `serviceAccountKey`. Default:
   * none.
   */
  readonly serviceAccountKeys?: readonly KeyObject[];
  /** `iss` claim of issued tokens. Default: the vocabulary's issuer. */
  readonly issuer?: string;
  /** Further issuers whose tokens are accepted, such as previous issuers of this cluster. */
  readonly otherIssuers?: readonly string[];
  /** Audiences of the API server. Default: the issuers. */
  readonly apiAudiences?: readonly string[];
  /** True to reject tokens whose ServiceAccount or Secret no longer exists. Default: true. */
  readonly serviceAccountLookup?: boolean;
  /** URL at which other services find the keys of ServiceAccount tokens. Default: a URL of this server. */
  readonly jwksUri?: string;
  /**
   * True to extend tokens that are mounted into pods (requested for 3607 s) to one year, for clients that do
   * not reload them. Default: true.
   */
  readonly extendTokenExpiration?: boolean;
  /** Maximum lifetime of a requested token, in seconds. Default: no limit. */
  readonly maxTokenExpirationSeconds?: number;
  /** True to accept bootstrap tokens. Default: true. */
  readonly bootstrapTokens?: boolean;
  /** True to accept requests without credentials as anonymous. Default: true, except in mode AlwaysAllow. */
  readonly anonymous?: boolean;
  readonly tokenFile?: readonly TokenEntry[];
  readonly oidc?: OidcSettings;
  readonly tokenWebhook?: TokenWebhookSettings;
  /** Authenticating proxy whose headers name the user. */
  readonly authenticatingProxy?: AuthenticatingProxy;
}

/** Settings of the token webhook. */
export interface TokenWebhookSettings {
  readonly remote: Remote;
  readonly version: TokenWebhookVersion;
  readonly ttlMs: number;
}

/** Settings of an authenticating proxy. */
export interface AuthenticatingProxy {
  /** PEM bundle of the certificate authorities that the proxy's certificate is verified against. */
  readonly clientCa: Live<string>;
  /** Accepted common names of the proxy's certificate. An empty list accepts any name. */
  readonly allowedNames: readonly string[];
  readonly headers: IdentityHeaders;
}

/** Everything that a server needs for authentication. */
export interface Authentication {
  readonly authenticators: (registry: Registry, metrics: Metrics) => readonly Authenticator[];
  /** Handlers of TokenReviews and TokenRequests. */
  readonly virtual: (registry: Registry, metrics: Metrics) => readonly VirtualHandler[];
  /** Discovery documents with which other services find the keys of ServiceAccount tokens. */
  readonly documents: readonly FixedDocument[];
  readonly identityHeaders: IdentityHeaders | undefined;
}

/** Dependencies of authentication. */
export interface AuthenticationParts {
  readonly vocabulary: Vocabulary;
  readonly environment: Environment;
  readonly outbound: Outbound | undefined;
  readonly serverUrl: () => string;
}

/**
 * Creates all authentication methods in upstream's order: the proxy, client certificates, then tokens, local
 * ones first.
 */
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

/** Issuer of ServiceAccount tokens, and the issuers, audiences and keys that are accepted. */
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

/** Dependencies of the token authenticators. */
interface TokenContext extends AuthenticationParts, TokenTrust {
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly tokenCache: TokenCacheMetrics;
}

/** Returns the readers of ServiceAccounts, and of the Secrets and pods that tokens are bound to. */
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

/** Creates the authenticators that verify tokens without calling other servers. */
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

/** Timeout of one call to a token webhook, in milliseconds. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/**
 * Creates the authenticators that call other servers. They are called last, so that no other server receives
 * a token that is valid here.
 */
function remoteTokens(
  { oidc, tokenWebhook }: AuthenticationSettings,
  context: TokenContext,
): readonly TokenAuthenticator[] {
  const { outbound, environment } = context;
  if (oidc === undefined && tokenWebhook === undefined) return [];
  if (outbound === undefined)
    throw new AssemblyError(
      'ERR_NO_OUTBOUND',
      'OIDC and the token webhook need a transport to other servers: set outbound',
    );
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
