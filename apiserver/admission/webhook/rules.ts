import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { RuleWithOperations } from '../../../api/types/admissionregistration-v1.ts';
import type { Operation } from '../../request.ts';

/** What rules look at, of a request. */
export interface RuleSubject {
  readonly operation: Operation;
  /** Served. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

type Rule = DeepReadonly<RuleWithOperations>;

const matchesAny = (allowed: readonly string[] | undefined, asked: string): boolean =>
  allowed?.some((each) => each === '*' || each === asked) ?? false;

/** Whether a rule is about a request (specification 1, section 2.7). */
export const matchesRule = (rule: Rule, subject: RuleSubject): boolean =>
  matchesScope(rule.scope, subject) &&
  matchesAny(rule.operations, subject.operation) &&
  matchesAny(rule.apiGroups, subject.group) &&
  matchesAny(rule.apiVersions, subject.version) &&
  (rule.resources?.some((each) => matchesResource(each, subject)) ?? false);

/** A pattern is `resource` or `resource/subresource`, each a wildcard or not; without a slash no subresource is meant. */
function matchesResource(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const of = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (of === '*' || of === resource) && (sub === '*' || sub === subresource);
}

/** Namespaces belong to the cluster; a subresource has the scope of its resource. */
function matchesScope(scope: Rule['scope'], { group, resource, namespace }: RuleSubject): boolean {
  if (scope === undefined || scope === '*') return true;
  const isOfCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return scope === 'Cluster' ? isOfCluster : scope === 'Namespaced' && !isOfCluster;
}
