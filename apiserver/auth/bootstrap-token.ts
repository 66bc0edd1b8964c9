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

/** Id and secret of a token text `<token_id>.<token_secret>`; undefined for any other text. */
export function parseBootstrapToken(
  text: string,
): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** One value of a Secret as text, '' when it has none. */
const textOf = (secret: DeepReadonly<Secret>, key: string): string => {
  const { data } = secret;
  const encoded = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
};

/** All groups of the token's user, sorted; undefined when one is not allowed. */
function groupsOf(secret: DeepReadonly<Secret>): readonly string[] | undefined {
  const extra = textOf(secret, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  return groups.every((group) => EXTRA_GROUP.test(group))
    ? [...new Set([BOOTSTRAPPERS, ...groups])].sort()
    : undefined;
}

/**
 * Tokens that let new nodes join (specification 1, sections 2.4 and 5.2). Read past any cache, so that a deleted token
 * is dead at once. A token whose Secret is missing, wrong, expired or not meant for this is one that nobody knows.
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
