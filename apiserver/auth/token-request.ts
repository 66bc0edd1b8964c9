import type { DeepReadonly } from '../../api/kinds/index.ts';
import {
  type FieldErrors,
  badRequest,
  conflict,
  invalid,
  invalidField,
  notFound,
} from '../../api/status/index.ts';
import type { BoundObjectReference, TokenRequest } from '../../api/types/authentication-v1.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, toTime } from '../../base/clock/index.ts';
import type { ObjectIdentity, TokenIssuer } from '../../base/tokens/index.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import type { ServiceAccountObjects } from './service-account-claims.ts';
import type { Int64 } from '../../api/schema/index.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** Lifetime in seconds that the projected token volumes of pods request. */
const INJECTED_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/** Readers, issuer and lifetime limits of token requests. */
export interface TokenRequestOptions extends Pick<
  ServiceAccountObjects,
  'serviceAccounts' | 'secrets' | 'pods'
> {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly issuer: TokenIssuer;
  /** Audiences of a token whose request names none. */
  readonly apiAudiences: readonly string[];
  /**
   * Maximum lifetime of a token in seconds. A longer requested lifetime is shortened with a warning. The
   * default is no limit.
   */
  readonly maxExpirationSeconds?: number;
  /**
   * True if tokens for projected volumes are valid for a year, for clients that read their token only once.
   * Such a token counts as stale after the hour that was requested. The default is true.
   */
  readonly extendExpiration?: boolean;
}

interface Bound {
  readonly pod?: ObjectIdentity;
  readonly secret?: ObjectIdentity;
}

/**
 * Creates the handler of `serviceaccounts/token`
 * (https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/).
 */
export function createTokenRequestHandler(options: TokenRequestOptions): VirtualHandler {
  const { vocabulary, clock, issuer, apiAudiences } = options;
  const kind = { group: vocabulary.group('authentication'), kind: 'TokenRequest' };
  return {
    group: '',
    version: 'v1',
    resource: 'serviceaccounts',
    subresource: 'token',
    async handle(context, body, namespace, name) {
      const request = body as TokenRequest;
      const { name: meant = name } = request.metadata ?? {};
      if (meant !== '' && meant !== name) {
        const detail = 'must match the service account name if specified';
        throw invalid(kind, name, [invalidField('metadata.name', meant, detail)]);
      }
      const account = await options.serviceAccounts.live(namespace, name);
      if (account === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
      // In protobuf requests, an omitted field is 0.
      const wanted = request.spec.expirationSeconds || DEFAULT_SECONDS;
      const errors = validate(wanted);
      if (errors.length > 0) throw invalid(kind, '', errors);
      const audiences = request.spec.audiences?.length ? request.spec.audiences : [...apiAudiences];
      const bound = await boundObject(request.spec.boundObjectRef, namespace, name, options);
      const requested = Math.min(Number(wanted), options.maxExpirationSeconds ?? Infinity);
      if (requested < wanted)
        context.warnings.push(`requested expiration of ${wanted} seconds shortened to ${requested} seconds`);
      const issuedAt = Math.floor(clock.now() / 1000);
      const token = await issuer.boundToken({
        namespace,
        serviceAccount: identityOf(account, name),
        ...bound,
        audiences,
        issuedAt,
        ...lifetime(requested, isExtended(options, requested, audiences, bound), issuedAt),
      });
      return {
        ...request,
        metadata: { ...request.metadata, name, namespace },
        spec: { ...request.spec, audiences, expirationSeconds: requested },
        status: { token, expirationTimestamp: toTime((issuedAt + requested) * 1000) },
      } as TokenRequest;
    },
  };
}

/** True if a projected volume requested the token, so that the token is valid for longer than requested. */
const isExtended = (
  { extendExpiration = true, apiAudiences }: TokenRequestOptions,
  askedSeconds: number,
  audiences: readonly string[],
  { pod }: Bound,
): boolean =>
  extendExpiration &&
  pod !== undefined &&
  askedSeconds === INJECTED_SECONDS &&
  audiences.every((audience) => apiAudiences.includes(audience));

/** Returns the time at which the token expires, and the time from which its use counts as stale. */
const lifetime = (
  askedSeconds: number,
  extended: boolean,
  issuedAt: number,
): { readonly expiresAt: number; readonly warnAfter?: number } =>
  extended
    ? { expiresAt: issuedAt + EXTENDED_SECONDS, warnAfter: issuedAt + askedSeconds }
    : { expiresAt: issuedAt + askedSeconds };

function validate(seconds: Int64): FieldErrors {
  const field = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS)
    return [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > MAX_SECONDS)
    return [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

const identityOf = (
  object: DeepReadonly<Pick<ServiceAccount, 'metadata'>>,
  name: string,
): ObjectIdentity => ({
  name,
  uid: object.metadata?.uid ?? '',
});

/** Returns the object to which the token is bound. The object must exist and have the referenced UID. */
async function boundObject(
  reference: BoundObjectReference | undefined | null,
  namespace: string,
  accountName: string,
  options: TokenRequestOptions,
): Promise<Bound> {
  if (reference === undefined || reference === null) return {};
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const isCore = !apiVersion.includes('/');
  let bound: Bound;
  let found: ObjectIdentity;
  if (isCore && kind === 'Pod') {
    const pod = await options.pods.live(namespace, name);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
    if (pod.spec?.serviceAccountName !== accountName)
      throw badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
      );
    found = identityOf(pod, name);
    bound = { pod: found };
  } else if (isCore && kind === 'Secret') {
    const secret = await options.secrets.live(namespace, name);
    if (secret === undefined) throw notFound({ group: '', resource: 'secrets' }, name);
    found = identityOf(secret, name);
    bound = { secret: found };
  } else {
    const groupVersion = isCore ? `/${apiVersion}` : apiVersion;
    throw badRequest(`cannot bind token to object of type ${groupVersion}, Kind=${kind}`);
  }
  if (uid !== '' && uid !== found.uid)
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return bound;
}
