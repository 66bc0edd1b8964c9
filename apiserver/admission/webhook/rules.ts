import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { RuleWithOperations } from '../../../api/types/admissionregistration-v1.ts';
import type { Operation } from '../../request.ts';

/** Attributes of a request that rules match. */
export interface RuleSubject {
  readonly operation: Operation;
  /** API group with its domain suffix. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

type Rule = DeepReadonly<RuleWithOperations>;

const matchesAny = (allowed: readonly string[] | undefined, value: string): boolean =>
  allowed?.some((each) => each === '*' || each === value) ?? false;

/**
 * True if a rule matches a request
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules).
 */
export const matchesRule = (rule: Rule, subject: RuleSubject): boolean =>
  matchesScope(rule.scope, subject) &&
  matchesAny(rule.operations, subject.operation) &&
  matchesAny(rule.apiGroups, subject.group) &&
  matchesAny(rule.apiVersions, subject.version) &&
  (rule.resources?.some((each) => matchesResource(each, subject)) ?? false);

/**
 * True if a pattern such as `pods`, `pods/status` or `*` matches. A pattern without a slash matches no
 * subresource.
 */
function matchesResource(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const of = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (of === '*' || of === resource) && (sub === '*' || sub === subresource);
}

/**
 * True if the scope of a rule matches. A Namespace is cluster-scoped. A subresource has the scope of its
 * resource.
 */
function matchesScope(scope: Rule['scope'], { group, resource, namespace }: RuleSubject): boolean {
  if (scope === undefined || scope === '*') return true;
  const isOfCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return scope === 'Cluster' ? isOfCluster : scope === 'Namespaced' && !isOfCluster;
}
