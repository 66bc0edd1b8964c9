import { type ApiError, internalError } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Soon, whenThere } from '../../../base/async/index.ts';
import { type HttpResponse, textResponse } from '../../../base/http/index.ts';
import { withoutToken } from '../../audit/redaction.ts';
import type { Attributes, Authorizer, Decision, RequestContext } from '../../request.ts';
import { accessDenied } from '../response/access-denied.ts';
import type { Next, Stage } from '../pipeline.ts';

/** Returns the attributes of a request that authorizers decide on. */
export const attributesOf = ({ user, info }: Pick<RequestContext, 'user' | 'info'>): Attributes => ({
  user,
  verb: info.verb,
  isResourceRequest: info.isResourceRequest,
  path: info.path,
  group: info.group,
  version: info.version,
  resource: info.resource,
  subresource: info.subresource,
  namespace: info.namespace,
  name: info.name,
});

/**
 * Returns the message for a forbidden request: `User "alice" cannot list resource "pods" in API group "" in
 * the namespace "default"`.
 */
export function denialOf(attributes: Attributes): string {
  const who = `User ${JSON.stringify(attributes.user.username)} cannot ${attributes.verb}`;
  if (!attributes.isResourceRequest) return `${who} path ${JSON.stringify(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

/**
 * Creates the stage that rejects a request with 403 unless the authorizer allows it. The decision and its
 * reason become annotations of the audit event.
 */
export function createAuthorization(authorizer: Authorizer, vocabulary: Vocabulary): Stage {
  const decisionKey = vocabulary.groupKey('authorization', 'decision');
  const reasonKey = vocabulary.groupKey('authorization', 'reason');
  return {
    name: 'authorization',
    run(context, next) {
      const attributes = attributesOf(context);
      return whenThere(authorizer.authorize(attributes), (decision) =>
        decided(context, next, attributes, decision),
      );
    },
  };

  function decided(
    context: RequestContext,
    next: Next,
    attributes: Attributes,
    decision: Decision,
  ): Soon<HttpResponse> {
    const { audit } = context;
    const isAllowed = decision.verdict === 'allow';
    if (isAllowed || decision.error === undefined) {
      audit.annotate(decisionKey, isAllowed ? 'allow' : 'forbid');
      audit.annotate(reasonKey, decision.reason);
    } else audit.annotate(reasonKey, 'internal error');
    if (isAllowed) return next(context);
    if (decision.error === undefined) throw refused(attributes, decision);
    const uri = escaped(JSON.stringify(withoutToken(context.http.url)));
    return textResponse(500, `Internal Server Error: ${uri}: ${decision.error}\n`);
  }
}

/**
 * Rejects with a 403 unless the authorizer allows the request, and with a 500 if the policy could not be
 * evaluated.
 */
export async function authorize(authorizer: Authorizer, attributes: Attributes): Promise<void> {
  const decision = await authorizer.authorize(attributes);
  if (decision.verdict === 'allow') return;
  throw decision.error === undefined ? refused(attributes, decision) : internalError(decision.error);
}

/** Returns the 403 for denied attributes. */
export function refused(attributes: Attributes, { reason }: Pick<Decision, 'reason'>): ApiError {
  const denial = escaped(denialOf(attributes));
  return accessDenied(
    { group: attributes.group, resource: attributes.resource },
    attributes.name,
    reason === '' ? denial : `${denial}: ${reason}`,
  );
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a string that a browser may display. */
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign);
