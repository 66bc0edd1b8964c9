import type { DeepReadonly, UserInfo } from '../../api/kinds/kind.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { notFound } from '../../api/status/api-error.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Authorizer, ResolvedRules } from '../request.ts';
import { ruleSubject } from './compiled-rule.ts';
import { NO_OPINION } from './decisions.ts';
import { type Grant, type RbacReaders, createRbacIndex } from './rbac-index.ts';

/** The rules of all roles bound to a user; `errors` names roles that bindings refer to and that are missing. */
export interface UserRules {
  readonly rules: readonly DeepReadonly<PolicyRule>[];
  readonly errors: readonly string[];
}

export interface RbacAuthorizer extends Authorizer {
  rules(user: UserInfo, namespace: string): Promise<ResolvedRules>;
  /** As they stand in the roles, for the check that nobody grants more than they hold. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** Follows no more changes. */
  stop(): void;
}

/**
 * Role-based access control (specification 1, section 2.8). Purely additive: allows or has no opinion. Roles are
 * taken as they are stored; those with an `aggregationRule` have their rules filled in by a controller.
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
        else rules.push(...role.rules);
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

/** As a review of rules answers them. */
function resolved({ rules, errors }: UserRules): ResolvedRules {
  const isResource = (rule: DeepReadonly<PolicyRule>): boolean => (rule.resources ?? []).length > 0;
  const isPath = (rule: DeepReadonly<PolicyRule>): boolean => (rule.nonResourceURLs ?? []).length > 0;
  return {
    resourceRules: rules.filter(isResource).map((rule) => ({
      verbs: rule.verbs ?? [],
      apiGroups: rule.apiGroups ?? [],
      resources: rule.resources ?? [],
      resourceNames: rule.resourceNames ?? [],
    })),
    nonResourceRules: rules.filter(isPath).map((rule) => ({
      verbs: rule.verbs ?? [],
      nonResourceURLs: rule.nonResourceURLs ?? [],
    })),
    incomplete: errors.length > 0,
    error: errors.join(', '),
  };
}
