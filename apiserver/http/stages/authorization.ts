import type { Attributes, Authorizer, RequestContext } from '../../request.ts';
import { accessRefused } from '../access-refused.ts';
import type { Stage } from '../pipeline.ts';

/** What an authorizer looks at, of a request (specification 1, section 5.10 item 3). */
export const attributesOf = ({ user, info }: RequestContext): Attributes => ({
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

/** `User "alice" cannot list resource "pods" in API group "" in the namespace "default"`. */
export function refusalOf(attributes: Attributes): string {
  const who = `User ${JSON.stringify(attributes.user.username)} cannot ${attributes.verb}`;
  if (!attributes.isResourceRequest) return `${who} path ${JSON.stringify(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

/** Answers 403 unless the authorizer allows. */
export function createAuthorization(authorizer: Authorizer): Stage {
  return {
    name: 'authorization',
    async run(context, next) {
      await authorize(authorizer, attributesOf(context));
      return next(context);
    },
  };
}

/** Throws 403 unless the authorizer allows. */
export async function authorize(authorizer: Authorizer, attributes: Attributes): Promise<void> {
  const { verdict, reason } = await authorizer.authorize(attributes);
  if (verdict === 'allow') return;
  const refusal = refusalOf(attributes).replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign);
  throw accessRefused(
    { group: attributes.group, resource: attributes.resource },
    attributes.name,
    reason === '' ? refusal : `${refusal}: ${reason}`,
  );
}

/** The text may be shown by a browser. */
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
