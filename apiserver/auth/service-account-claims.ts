import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, fromTime } from '../../base/clock/index.ts';
import {
  type Claims,
  type ObjectIdentity,
  readBoundClaims,
  readLegacyClaims,
  serviceAccountUsername,
} from '../../base/tokens/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { secondsOf } from './json-web-token.ts';
import { rejected } from './rejection.ts';
import { sameSecret } from './secret-digest.ts';

/**
 * Readers of the objects that token claims are checked against. Reads bypass caches, so that deleting an
 * object invalidates its tokens.
 */
export interface ServiceAccountObjects {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly secrets: ObjectReader<Secret>;
  readonly pods: ObjectReader<Pod>;
  /** True if the Secret of a legacy token must still contain the token. The default is true. */
  readonly lookup?: boolean;
}

/** Service account and pod whose identity a valid token proves. */
export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  readonly pod?: ObjectIdentity;
  /** Seconds since the end of the lifetime that the client requested; negative before that time. */
  readonly staleSeconds?: number;
}

/** Tolerance in seconds for clock differences, and for objects that are being deleted. */
const LEEWAY_SECONDS = 60;

const INVALIDATED = 'service account token has been invalidated';

const missingAccount = ({ name }: ObjectIdentity): string =>
  `serviceaccounts ${JSON.stringify(name)} not found`;

const tokenOf = (secret: DeepReadonly<Secret>): Buffer => Buffer.from(secret.data?.['token'] ?? '', 'base64');

/**
 * Validates the claims of a legacy token, which is stored in a Secret. Throws a rejection if they are
 * invalid.
 */
export async function validateLegacy(
  token: string,
  claims: Claims,
  objects: ServiceAccountObjects,
): Promise<TokenSubject> {
  const { namespace, secretName, serviceAccount } = readLegacyClaims(objects.vocabulary, claims);
  if (claims['sub'] !== serviceAccountUsername(namespace, serviceAccount.name))
    throw rejected('sub claim is invalid');
  if (namespace === '') throw rejected('namespace claim is missing');
  if (secretName === '') throw rejected('secretName claim is missing');
  if (serviceAccount.name === '') throw rejected('serviceAccountName claim is missing');
  if (serviceAccount.uid === '') throw rejected('serviceAccountUID claim is missing');
  if (objects.lookup !== false) await lookUpLegacy(token, namespace, secretName, serviceAccount, objects);
  return { namespace, serviceAccount };
}

async function lookUpLegacy(
  token: string,
  namespace: string,
  secretName: string,
  serviceAccount: ObjectIdentity,
  objects: ServiceAccountObjects,
): Promise<void> {
  const secret = await objects.secrets.live(namespace, secretName);
  if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined)
    throw rejected('Token has been invalidated');
  if (!sameSecret(tokenOf(secret), token)) throw rejected("Token does not match server's copy");
  const { name, uid } = serviceAccount;
  const account = await objects.serviceAccounts.live(namespace, name);
  if (account === undefined) throw rejected(missingAccount(serviceAccount));
  if (account.metadata?.deletionTimestamp !== undefined)
    throw rejected(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.metadata?.uid !== uid)
    throw rejected(`ServiceAccount UID (${account.metadata?.uid ?? ''}) does not match claim (${uid})`);
}

function checkTimes(claims: Claims, now: number): void {
  const expires = secondsOf(claims, 'exp');
  const notBefore = secondsOf(claims, 'nbf');
  // A bound token without an expiration would be valid forever.
  if (expires === undefined || now - LEEWAY_SECONDS > expires)
    throw rejected('service account token has expired');
  if (notBefore !== undefined && now + LEEWAY_SECONDS < notBefore)
    throw rejected('service account token is not valid yet');
}

/**
 * Validates the claims of a bound token, which was issued by a TokenRequest. Throws a rejection if they are
 * invalid.
 */
export async function validateBound(claims: Claims, objects: ServiceAccountObjects): Promise<TokenSubject> {
  const now = Math.floor(objects.clock.now() / 1000);
  checkTimes(claims, now);
  const bound = readBoundClaims(objects.vocabulary, claims);
  if (bound === undefined)
    throw rejected('service account token claims could not be validated due to unexpected private claim');
  const { namespace, serviceAccount, pod, secret, warnAfter } = bound;
  if (claims['sub'] !== serviceAccountUsername(namespace, serviceAccount.name))
    throw rejected('sub claim is invalid');
  const check = async (
    reader: ObjectReader<ApiObject>,
    identity: ObjectIdentity,
    what: string,
    claim: string,
    missing = INVALIDATED,
  ) => {
    const object = await reader.live(namespace, identity.name);
    if (object === undefined) throw rejected(missing);
    if (isLongDeleted(object, now)) throw rejected(INVALIDATED);
    if (object.metadata?.uid !== identity.uid)
      throw rejected(`${what} UID (${object.metadata?.uid ?? ''}) does not match ${claim} (${identity.uid})`);
  };
  await check(
    objects.serviceAccounts,
    serviceAccount,
    'service account',
    'claim',
    missingAccount(serviceAccount),
  );
  if (secret !== undefined)
    await check(objects.secrets, secret, 'secret', 'service account secret ref claim');
  if (pod !== undefined) await check(objects.pods, pod, 'pod', 'service account pod ref claim');
  return {
    namespace,
    serviceAccount,
    ...(pod === undefined ? {} : { pod }),
    ...(warnAfter === undefined ? {} : { staleSeconds: now - warnAfter }),
  };
}

function isLongDeleted(object: DeepReadonly<ApiObject>, now: number): boolean {
  const deletedMs = fromTime(object.metadata?.deletionTimestamp);
  return deletedMs !== undefined && deletedMs / 1000 < now - LEEWAY_SECONDS;
}
