import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { notFound } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Authorizer, ResolvedRules } from '../request.ts';
import { ruleSubject } from './compiled-rule.ts';
import { NO_OPINION } from './decisions.ts';
import { type Grant, type RbacReaders, createRbacIndex } from './rbac-index.ts';

/** Rules of all roles that are bound to a user. `errors` names the missing roles to which bindings refer. */
export interface UserRules {
  readonly rules: readonly DeepReadonly<PolicyRule>[];
  readonly errors: readonly string[];
}

/** Authorizer that can also list the rules of a user. */
export interface RbacAuthorizer extends Authorizer {
  rules(user: UserInfo, namespace: string): Promise<ResolvedRules>;
  /** Returns the rules as stored in the roles. The escalation check uses them. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** Unsubscribes from the readers. */
  stop(): void;
}

/**
 * Creates the authorizer for role-based access control
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/). It allows a request or has no opinion.
 * Roles are used as stored; a controller writes the rules of roles that have an `aggregationRule`.
 */
export function createRbacAuthorizer(readers: RbacReaders, vocabulary: Vocabulary): RbacAuthorizer {
  const index = createRbacIndex(readers);
  const group = vocabulary.group('rbac.authorization');
  const missing = ({ roleKind, roleName }: Grant): string =>
    notFound({ group, resource: roleKind.toLowerCase() }, roleName).message;

  function rulesFor(user: UserInfo, namespace: string): UserRules {
    const rules: DeepReadonly<PolicyRule>[] = [];
    const errors: string[] = [];
    for (const grants of index.grantsOf(user, namespace))
      for (const grant of grants) {
        const role = index.role(grant);
        if (role === undefined) errors.push(missing(grant));
        else for (const rule of role.rules) rules.push(rule);
      }
    return { rules, errors };
  }

  return {
    name: 'RBAC',
    authorize(attributes) {
      const subject = ruleSubject(attributes);
      const errors: string[] = [];
      for (const grants of index.grantsOf(attributes.user, attributes.namespace))
        for (const grant of grants) {
          const role = index.role(grant);
          if (role === undefined) errors.push(missing(grant));
          else if (role.compiled.some((matches) => matches(subject)))
            return { verdict: 'allow', reason: `RBAC: allowed by ${grant.description}` };
        }
      if (errors.length === 0) return NO_OPINION;
      return {
        verdict: 'no-opinion',
        reason: `RBAC: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`,
      };
    },
    rules: async (user, namespace) => resolved(rulesFor(user, namespace)),
    rulesFor,
    stop: index.stop,
  };
}

/** Maximum number of values in the response to a rules review. */
const MAX_VALUES = 25_000;

/**
 * Converts rules to the response of a SelfSubjectRulesReview. More than `MAX_VALUES` values are truncated
 * and reported as incomplete.
 */
function resolved({ rules, errors }: UserRules): ResolvedRules {
  const [resourceRules, nonResourceRules]: [
    ResolvedRules['resourceRules'][number][],
    ResolvedRules['nonResourceRules'][number][],
  ] = [[], []];
  let values = 0;
  for (const {
    verbs = [],
    apiGroups = [],
    resources = [],
    resourceNames = [],
    nonResourceURLs = [],
  } of rules) {
    values +=
      verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;
    if (values > MAX_VALUES) break;
    if (resources.length > 0) resourceRules.push({ verbs, apiGroups, resources, resourceNames });
    if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs });
  }
  const problems =
    values > MAX_VALUES ? [...errors, `only the first ${MAX_VALUES} values of all rules are shown`] : errors;
  return {
    resourceRules,
    nonResourceRules,
    incomplete: problems.length > 0,
    error: problems.join(', '),
  };
}
