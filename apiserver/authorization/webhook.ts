import type { UserInfo } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, createExpiringCache } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { PostReview } from '../outbound/remote-review.ts';
import type { Attributes, Authorizer, Decision } from '../request.ts';
import { NO_RULES } from './decisions.ts';
import { isRecord } from '../../base/collections/index.ts';

/** SubjectAccessReview versions that a webhook may support. */
export const webhookVersions = ['v1beta1', 'v1'] as const;
export type WebhookVersion = (typeof webhookVersions)[number];

export interface WebhookAuthorizerOptions {
  readonly post: PostReview;
  /** Version of the SubjectAccessReview that the server sends and expects in the response. */
  readonly version: WebhookVersion;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Time in milliseconds for which an allowed request is cached. */
  readonly authorizedTtlMs: number;
  /** Time in milliseconds for which any other decision is cached. */
  readonly unauthorizedTtlMs: number;
}

const MAX_CACHED = 8192;
/**
 * Maximum length of a cached request in characters. Clients could otherwise fill the memory with long
 * requests.
 */
const MAX_CACHED_LENGTH = 10_000;

/**
 * Creates an authorizer that sends a SubjectAccessReview to a webhook
 * (https://kubernetes.io/docs/reference/access-authn-authz/webhook/). The webhook may allow, deny (`denied`)
 * or leave the decision to other authorizers. If the webhook fails, the authorizer has no opinion and reports
 * the error.
 */
export function createWebhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { post, version, vocabulary, clock } = options;
  const apiVersion = vocabulary.apiVersion('authorization', version);
  const decided = createExpiringCache<Decision>(clock, MAX_CACHED);

  async function review(attributes: Attributes, spec: object): Promise<Decision> {
    const response = await post({
      kind: 'SubjectAccessReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec,
      status: { allowed: false },
    });
    const decision = decisionOf(response, apiVersion);
    if (decision.error === undefined && lengthOf(attributes) < MAX_CACHED_LENGTH)
      decided.set(
        JSON.stringify(spec),
        decision,
        decision.verdict === 'allow' ? options.authorizedTtlMs : options.unauthorizedTtlMs,
      );
    return decision;
  }

  return {
    name: 'Webhook',
    async authorize(attributes) {
      const spec = specOf(attributes, version);
      const known = decided.get(JSON.stringify(spec));
      if (known !== undefined) return known;
      try {
        return await review(attributes, spec);
      } catch (thrown) {
        return { verdict: 'no-opinion', reason: '', error: messageOf(thrown) };
      }
    },
    rules: () =>
      Promise.resolve({
        ...NO_RULES,
        incomplete: true,
        error: 'webhook authorizer does not support user rule resolution',
      }),
  };
}

const lengthOf = (a: Attributes): number =>
  [a.namespace, a.verb, a.group, a.version, a.resource, a.subresource, a.name, a.path].join('').length;

/** Returns the fields without empty values, as Go clients encode them. */
const written = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== '' && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );

function specOf(attributes: Attributes, version: WebhookVersion): object {
  const { user, verb, path, group, resource, subresource, namespace, name } = attributes;
  return written({
    ...(attributes.isResourceRequest
      ? {
          resourceAttributes: written({
            namespace,
            verb,
            group,
            version: attributes.version,
            resource,
            subresource,
            name,
          }),
        }
      : { nonResourceAttributes: written({ path, verb }) }),
    ...subjectOf(user, version),
  });
}

/** Returns the user fields of a review. v1beta1 has `group` in place of `groups`. */
const subjectOf = ({ username, uid, groups, extra }: UserInfo, version: WebhookVersion): object => ({
  user: username,
  [version === 'v1' ? 'groups' : 'group']: groups,
  extra,
  uid,
});

/**
 * Decodes a response; only the boolean `true` allows. Throws if the response is not a review of the expected
 * version.
 */
function decisionOf(response: unknown, apiVersion: string): Decision {
  if (
    !isRecord(response) ||
    response['kind'] !== 'SubjectAccessReview' ||
    response['apiVersion'] !== apiVersion
  )
    throw new Error(`webhook returned something other than a SubjectAccessReview of ${apiVersion}`);
  const status = isRecord(response['status']) ? response['status'] : {};
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  const allowed = status['allowed'] === true;
  const denied = status['denied'] === true;
  if (allowed && denied)
    return {
      verdict: 'deny',
      reason,
      error: 'webhook subject access review returned both allow and deny response',
    };
  return { verdict: denied ? 'deny' : allowed ? 'allow' : 'no-opinion', reason };
}
