import type { UserInfo } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { PostReview } from '../outbound/remote-review.ts';
import { createTextMask } from '../registry/confidential/text-mask.ts';
import type { Authenticated, TokenAuthenticator } from '../request.ts';
import { rejected } from './rejection.ts';
import { digestOf } from './secret-digest.ts';
import { type TokenCacheMetrics, createTokenMemory } from './token-memory.ts';
import { isRecord } from '../../base/collections/index.ts';

/** TokenReview versions that a webhook may support. */
export const tokenWebhookVersions = ['v1beta1', 'v1'] as const;
export type TokenWebhookVersion = (typeof tokenWebhookVersions)[number];

/** Transport, review version and caching of a token webhook. */
export interface TokenWebhookOptions {
  readonly post: PostReview;
  /** Version of the TokenReview that the server sends and expects in the response. */
  readonly version: TokenWebhookVersion;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokenCache: TokenCacheMetrics;
  /** Time in milliseconds for which an accepted or unknown token is cached; 0 disables caching. */
  readonly ttlMs: number;
  /** Audiences of this API server. A token whose response names no audience is treated as having these. */
  readonly apiAudiences: readonly string[];
}

/**
 * Creates an authenticator that sends tokens to a webhook
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication).
 * Results are cached under the token's SHA-256. If the call fails or the response contains an error, the
 * token is rejected and nothing is cached.
 */
export function createTokenWebhook(options: TokenWebhookOptions): TokenAuthenticator {
  const { post, version, vocabulary, clock, log, tokenCache, ttlMs, apiAudiences } = options;
  const apiVersion = vocabulary.apiVersion('authentication', version);
  const results = createTokenMemory<Authenticated>({ clock, metrics: tokenCache, ttlMs, absentTtlMs: ttlMs });

  async function ask(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    // The webhook knows the token, so its response or an error message may repeat the token.
    const mask = createTextMask([token]);
    let response: unknown;
    try {
      response = await post({
        kind: 'TokenReview',
        apiVersion,
        metadata: { creationTimestamp: null },
        spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
        status: { user: {} },
      });
    } catch (thrown) {
      const reason = mask(messageOf(thrown));
      log.error({ reason }, 'token webhook call failed');
      throw rejected(reason);
    }
    const status = statusOf(response, apiVersion);
    if (status === undefined)
      throw rejected(`webhook returned something other than a TokenReview of ${apiVersion}`);
    const named = textsOf(status['audiences']);
    const good = named.length === 0 ? apiAudiences : named;
    const common = audiences.filter((audience) => good.includes(audience));
    if (common.length === 0 && audiences.length > 0) return undefined;
    // Only the boolean `true` authenticates, not a truthy value.
    if (status['authenticated'] !== true) {
      const error = status['error'];
      if (typeof error === 'string' && error !== '') throw rejected(mask(error));
      return undefined;
    }
    const user = userOf(status['user']);
    if (user === undefined) throw rejected('webhook authenticated a user without a name');
    return { user, audiences: common };
  }

  return {
    name: 'token-webhook',
    authenticateToken: (token, audiences) =>
      results.recall(`${digestOf(token).toString('latin1')}${JSON.stringify(audiences)}`, () =>
        ask(token, audiences),
      ),
  };
}

type Fields = Readonly<Record<string, unknown>>;
/** Returns the status of a TokenReview of the sent version. Returns undefined for any other response. */
function statusOf(response: unknown, apiVersion: string): Fields | undefined {
  if (!isRecord(response) || response['kind'] !== 'TokenReview' || response['apiVersion'] !== apiVersion)
    return undefined;
  const status = response['status'] ?? {};
  return isRecord(status) ? status : undefined;
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function userOf(value: unknown): UserInfo | undefined {
  if (!isRecord(value)) return undefined;
  const username = textOf(value['username']);
  if (username === '') return undefined;
  const uid = textOf(value['uid']);
  const extra = isRecord(value['extra'])
    ? Object.fromEntries(Object.entries(value['extra']).map(([key, values]) => [key, textsOf(values)]))
    : {};
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    groups: textsOf(value['groups']),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
