import type { DeepReadonly, Strategy } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ClusterRole, PolicyRule, Role } from '../../types/rbac-v1.ts';
import { goStrings, invalidLiteral } from '../../validation/go-text/values.ts';
import { isReadable, validateLabelSelector } from '../../validation/label-selector.ts';

/** Checks the rules of `ValidatePolicyRule` in Kubernetes 1.24. */
function validateRule(rule: DeepReadonly<PolicyRule>, namespaced: boolean, path: string): FieldErrors {
  const errors: FieldError[] = [];
  const count = (list: readonly string[] | null | undefined): number => list?.length ?? 0;
  if (count(rule.verbs) === 0) {
    errors.push(requiredField(child(path, 'verbs'), 'verbs must contain at least one value'));
  }
  if (count(rule.nonResourceURLs) > 0) {
    const at = child(path, 'nonResourceURLs');
    const urls = goStrings(rule.nonResourceURLs);
    if (namespaced) {
      errors.push(invalidLiteral(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    }
    if (count(rule.apiGroups) + count(rule.resources) + count(rule.resourceNames) > 0) {
      errors.push(
        invalidLiteral(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return errors;
  }
  if (count(rule.apiGroups) === 0) {
    errors.push(requiredField(child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (count(rule.resources) === 0) {
    errors.push(requiredField(child(path, 'resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}

const validateRules = (
  rules: readonly DeepReadonly<PolicyRule>[] | null | undefined,
  namespaced: boolean,
): FieldErrors => (rules ?? []).flatMap((rule, at) => validateRule(rule, namespaced, index('rules', at)));

/** Strategy of Roles. */
export const roleStrategy: Strategy<Role> = {
  validate: (role) => validateRules(role.rules, true),
  validatesChangeToo: true,
};

/** Strategy of ClusterRoles. */
export const clusterRoleStrategy: Strategy<ClusterRole> = {
  validate: (role) => [...validateRules(role.rules, false), ...validateAggregation(role)],
  validatesChangeToo: true,
};

function validateAggregation({ aggregationRule }: DeepReadonly<ClusterRole>): FieldErrors {
  if (aggregationRule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    return [requiredField(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, at) => {
    const field = index(path, at);
    const errors = validateLabelSelector(selector, field);
    return isReadable(selector) ? errors : [...errors, invalidField(field, null, 'invalid label selector.')];
  });
}
