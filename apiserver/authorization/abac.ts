import type { UserInfo } from '../../api/kinds/index.ts';
import type { Attributes, Authorizer } from '../request.ts';
import type { AbacPolicy } from './abac-policy.ts';
import { noOpinion } from './decisions.ts';

const READ_VERBS: readonly string[] = ['get', 'list', 'watch'];
const NOTHING_MATCHES = noOpinion('No policy matched.');

/**
 * True if the policy applies to the user. If the policy names a user and a group, both must match. A policy
 * that names neither applies to no user.
 */
function concerns({ user, group }: AbacPolicy, caller: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === caller.username) && (group === '' || caller.groups.includes(group));
}

const matches = (wanted: string, value: string): boolean => wanted === '*' || wanted === value;

function matchesPath(wanted: string, path: string): boolean {
  if (wanted === '') return false;
  return wanted === path || (wanted.endsWith('*') && path.startsWith(wanted.replace(/\*+$/, '')));
}

const allows = (policy: AbacPolicy, attributes: Attributes): boolean =>
  (!policy.readonly || READ_VERBS.includes(attributes.verb)) &&
  (attributes.isResourceRequest
    ? matches(policy.namespace, attributes.namespace) &&
      matches(policy.resource, attributes.resource) &&
      matches(policy.apiGroup, attributes.group)
    : matchesPath(policy.nonResourcePath, attributes.path));

/** Creates an authorizer for the policies of a policy file. It allows a request or has no opinion. */
export function createAbacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    name: 'ABAC',
    authorize: (attributes) =>
      Promise.resolve(
        policies.some((policy) => concerns(policy, attributes.user) && allows(policy, attributes))
          ? { verdict: 'allow', reason: '' }
          : NOTHING_MATCHES,
      ),
    rules(user, namespace) {
      const mine = policies.filter(
        (policy) => concerns(policy, user) && matches(policy.namespace, namespace),
      );
      const verbsOf = ({ readonly }: AbacPolicy): readonly string[] => (readonly ? READ_VERBS : ['*']);
      return Promise.resolve({
        resourceRules: mine
          .filter(({ resource }) => resource !== '')
          .map((policy) => ({
            verbs: verbsOf(policy),
            apiGroups: [policy.apiGroup],
            resources: [policy.resource],
            resourceNames: [],
          })),
        nonResourceRules: mine
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map((policy) => ({ verbs: verbsOf(policy), nonResourceURLs: [policy.nonResourcePath] })),
        incomplete: false,
        error: '',
      });
    },
  };
}
