import { bootstrapTokenExpiryMs } from '../../api/bootstrap-token/expiry.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { TokenAuthenticator } from '../request.ts';
import { sameSecret } from './secret-digest.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const BOOTSTRAPPERS = 'system:bootstrappers';

/** Splits a token `ID.SECRET` into ID and secret. Returns undefined for any other text. */
export function parseBootstrapToken(
  text: string,
): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Returns a data value of a Secret as text, or '' if the Secret has no such key. */
const textOf = (secret: DeepReadonly<Secret>, key: string): string => {
  const { data } = secret;
  const encoded = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
};

/**
 * Returns all groups of the token's user, sorted. Returns undefined if an extra group has a forbidden name.
 */
function groupsOf(secret: DeepReadonly<Secret>): readonly string[] | undefined {
  const extra = textOf(secret, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  return groups.every((group) => EXTRA_GROUP.test(group))
    ? [...new Set([BOOTSTRAPPERS, ...groups])].sort()
    : undefined;
}

/**
 * Creates the authenticator of the tokens with which new nodes join
 * (https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/). It bypasses caches to read
 * Secrets, so that deleting a Secret revokes its token immediately. A token is treated as unknown if its
 * Secret is missing, invalid, expired or not intended for authentication.
 */
export function createBootstrapTokenAuthenticator(options: {
  readonly secrets: ObjectReader<Secret>;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}): TokenAuthenticator {
  const { secrets, vocabulary, clock } = options;
  return {
    name: 'bootstrap-token',
    async authenticateToken(token) {
      const parsed = parseBootstrapToken(token);
      if (parsed === undefined) return undefined;
      const secret = await secrets.live(vocabulary.namespaces.system, `bootstrap-token-${parsed.id}`);
      if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined) return undefined;
      if (secret.type !== vocabulary.secretTypes.bootstrapToken) return undefined;
      if (!sameSecret(textOf(secret, 'token-secret'), parsed.secret)) return undefined;
      if (textOf(secret, 'token-id') !== parsed.id) return undefined;
      if (bootstrapTokenExpiryMs(secret) <= clock.now()) return undefined;
      if (textOf(secret, 'usage-bootstrap-authentication') !== 'true') return undefined;
      const groups = groupsOf(secret);
      return groups && { user: { username: `system:bootstrap:${parsed.id}`, groups } };
    },
  };
}
