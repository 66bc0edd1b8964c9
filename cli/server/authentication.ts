import { type KeyObject, createPrivateKey, createPublicKey } from 'node:crypto';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type {
  AuthenticatingProxy,
  AuthenticationSettings,
  TokenWebhookSettings,
} from '../../apiserver/assembly/index.ts';
import {
  type IdentityHeaders,
  type OidcSettings,
  checkOidcSettings,
  parseTokenFile,
} from '../../apiserver/auth/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Live } from '../../base/lifetime/index.ts';
import { requireCertificates } from './aggregation.ts';
import { readParsed, readRequired } from '../files/files.ts';
import type { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError } from '../flags/flags.ts';
import type { LiveFiles } from '../files/live-files.ts';
import { readRemote } from '../program/remote.ts';

type Flags = FlagValues<typeof apiServerCommandFlags>;
interface Reading {
  readonly vocabulary: Vocabulary;
  readonly clock: Environment['clock'];
  /** Registry of files that are read again when they change. */
  readonly live: LiveFiles;
}

/**
 * Pattern of PEM blocks that may be keys. OpenSSL writes the curve parameters before a key, so these blocks
 * are skipped.
 */
const PEM_BLOCK = /-----BEGIN (?!EC PARAMETERS)[^-]+-----[\s\S]*?-----END [^-]+-----/g;

function publicKeysOf(text: string): readonly KeyObject[] {
  const blocks = text.match(PEM_BLOCK);
  if (blocks === null) throw new Error('no PEM block found');
  return blocks.map((pem) => createPublicKey(pem));
}

/** Returns the public key of the serving key if tokens can be signed with a key of its type. */
function servingKeys(pem: string): readonly KeyObject[] {
  const key = createPublicKey(createPrivateKey(pem));
  return key.asymmetricKeyType === 'rsa' || key.asymmetricKeyType === 'ec' ? [key] : [];
}

/** Reads the authentication flags and their files. Throws for invalid or inconsistent settings. */
export async function readAuthentication(
  flags: Flags,
  own: {
    readonly clientCa: Live<string>;
    readonly serviceAccountKey: KeyObject;
    /** Private key of the serving certificate, in PEM. */
    readonly servingKey: string;
  },
  reading: Reading,
): Promise<AuthenticationSettings> {
  const tokenFile = flags['token-auth-file'];
  const [oidc, tokenWebhook, proxy] = await Promise.all([
    readOidc(flags),
    readTokenWebhook(flags, reading),
    readProxy(flags, reading.live),
  ]);
  return {
    clientCa: own.clientCa,
    serviceAccountKey: own.serviceAccountKey,
    ...(await readServiceAccounts(flags, own.servingKey)),
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

async function readServiceAccounts(
  flags: Flags,
  servingKey: string,
): Promise<Partial<AuthenticationSettings>> {
  const [issuer, ...otherIssuers] = flags['service-account-issuer'];
  for (const each of flags['service-account-issuer'])
    if (each.includes(':') && !URL.canParse(each))
      throw new UsageError(
        `service-account-issuer ${JSON.stringify(each)} contained a ':' but was not a valid URL`,
      );
  if (new Set(flags['service-account-issuer']).size < flags['service-account-issuer'].length)
    throw new UsageError('--service-account-issuer names an issuer more than once');
  const jwksUri = flags['service-account-jwks-uri'];
  if (jwksUri !== '' && !(URL.canParse(jwksUri) && new URL(jwksUri).protocol === 'https:'))
    throw new UsageError('service-account-jwks-uri requires https scheme');
  const longestMs = flags['service-account-max-token-expiration'];
  if (longestMs !== 0 && (longestMs < HOUR_MS || longestMs > 2 ** 32 * 1000))
    throw new UsageError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  const signingFile = flags['service-account-signing-key-file'];
  const keyFiles = flags['service-account-key-file'];
  const keys =
    keyFiles.length === 0
      ? servingKeys(servingKey)
      : await Promise.all(keyFiles.map((path) => readParsed(path, 'PEM keys', publicKeysOf)));
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

/** Returns the header names of the flags. */
const identityHeadersOf = (flags: Flags): IdentityHeaders => ({
  username: flags['requestheader-username-headers'],
  group: flags['requestheader-group-headers'],
  extraPrefix: flags['requestheader-extra-headers-prefix'],
});

async function readProxy(flags: Flags, live: LiveFiles): Promise<AuthenticatingProxy | undefined> {
  const caFile = flags['requestheader-client-ca-file'];
  const headers = identityHeadersOf(flags);
  if (caFile === '') {
    if (headers.username.length > 0)
      throw new UsageError('--requestheader-username-headers needs --requestheader-client-ca-file');
    return undefined;
  }
  return {
    clientCa: await live.follow('authorities of proxies', () =>
      readParsed(caFile, 'PEM certificates', requireCertificates),
    ),
    allowedNames: flags['requestheader-allowed-names'],
    headers,
  };
}
