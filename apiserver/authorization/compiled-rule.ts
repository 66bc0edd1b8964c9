import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Attributes } from '../request.ts';

/** Request attributes that rules compare. `combined` is `resource` or `resource/subresource`. */
export interface RuleSubject {
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly group: string;
  readonly combined: string;
  readonly subresource: string;
  readonly name: string;
}

/** Predicate that is true if the rule allows a request with these attributes. */
export type CompiledRule = (subject: RuleSubject) => boolean;

/** Returns the request attributes that rules compare. Computed once per request, not once per rule. */
export const ruleSubject = (attributes: Attributes): RuleSubject => ({
  verb: attributes.verb,
  isResourceRequest: attributes.isResourceRequest,
  path: attributes.path,
  group: attributes.group,
  combined:
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`,
  subresource: attributes.subresource,
  name: attributes.name,
});

const anything = (): boolean => true;
const nothing = (): boolean => false;

/**
 * Returns a membership test. If the list contains `all`, every value is a member. Short lists are searched
 * directly, as a set lookup would cost more.
 */
function memberOf(values: readonly string[], all: string | undefined = '*'): (value: string) => boolean {
  if (all !== undefined && values.includes(all)) return anything;
  if (values.length <= 8) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
}

/**
 * Returns a test for resources. `*` matches every resource and subresource; `*` followed by `/scale` matches
 * the subresource `scale` of every resource.
 */
function matchesResource(resources: readonly string[]): (subject: RuleSubject) => boolean {
  const isMember = memberOf(resources);
  const subresources = resources.filter((each) => each.startsWith('*/')).map((each) => each.slice(2));
  if (subresources.length === 0) return ({ combined }) => isMember(combined);
  return ({ combined, subresource }) =>
    isMember(combined) || (subresource !== '' && subresources.includes(subresource));
}

/** Returns a test for paths. A URL that ends in `*` is a prefix; other URLs must match exactly. */
function matchesPath(urls: readonly string[]): (path: string) => boolean {
  if (urls.length === 0) return nothing;
  const prefixes = urls.filter((url) => url.endsWith('*')).map((url) => url.slice(0, -1));
  const isMember = memberOf(urls);
  return (path) => isMember(path) || prefixes.some((prefix) => path.startsWith(prefix));
}

/** Compiles a rule to one predicate. Runs at most once per change of a role. */
export function compileRule(rule: DeepReadonly<PolicyRule>): CompiledRule {
  const { resourceNames = [] } = rule;
  const verb = memberOf(rule.verbs ?? []);
  const group = memberOf(rule.apiGroups ?? []);
  const resource = matchesResource(rule.resources ?? []);
  const name = resourceNames.length === 0 ? anything : memberOf(resourceNames, undefined);
  const path = matchesPath(rule.nonResourceURLs ?? []);
  return (subject) =>
    verb(subject.verb) &&
    (subject.isResourceRequest
      ? group(subject.group) && resource(subject) && name(subject.name)
      : path(subject.path));
}
