import { DecodeError, decode, isObject } from '../../api/schema/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { YamlSyntax, parseYaml } from '../../api/yaml/index.ts';
import type { Attributes } from '../request.ts';
import { AUDIT_GROUP, AUDIT_VERSION, type AuditStage } from './event.ts';
import { type GroupResources, Policy, type PolicyRule } from './policy-types.ts';
import { validatePolicy } from './policy-validation.ts';
import type { AuditLevel } from './trail.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** Audit level of one request, and the stages and fields to omit. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/**
 * Rules that select which requests are recorded. The first matching rule decides; a request that no rule
 * matches is not recorded.
 */
export interface AuditPolicy {
  decide(attributes: Attributes): AuditDecision;
}

/** Error code of an invalid policy file. */
export type PolicyErrorCode = 'ERR_AUDIT_POLICY';

/** Error for an invalid policy; the message names the rule and the accepted values. */
class PolicyError extends CodedError<PolicyErrorCode> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('ERR_AUDIT_POLICY', message, options);
  }
}

/** Parses a policy in YAML or JSON. Throws an error with code `ERR_AUDIT_POLICY` if the policy is invalid. */
export function parsePolicy(text: string, vocabulary: Vocabulary): AuditPolicy {
  const policy = decoded(text, vocabulary);
  const errors = validatePolicy(policy).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > 0) throw new PolicyError(aggregateMessages(errors));
  if (policy.rules.length === 0) throw new PolicyError('loaded illegal policy with 0 rules');
  return compiled(policy);
}

function decoded(text: string, vocabulary: Vocabulary): Policy {
  const document = parsed(text);
  const expected = vocabulary.apiVersion(AUDIT_GROUP, AUDIT_VERSION);
  if (!isObject(document)) throw new PolicyError(`expected an object of kind Policy in version ${expected}`);
  const { kind, apiVersion } = document;
  if (kind !== 'Policy' || apiVersion !== expected)
    throw new PolicyError(
      `received kind ${printed(kind)} in version ${printed(apiVersion)}, expected kind "Policy" in version ${JSON.stringify(expected)}`,
    );
  try {
    const { value, unknown } = decode<Policy>(Policy, document);
    if (unknown.length === 0) return { ...value, rules: value.rules ?? [] };
    throw new PolicyError(
      `strict decoding error: ${unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')}`,
    );
  } catch (thrown) {
    if (thrown instanceof DecodeError)
      throw new PolicyError(`failed decoding: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}

const printed = (value: unknown): string => JSON.stringify(value) ?? 'none';

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (thrown) {
    if (thrown instanceof YamlSyntax)
      throw new PolicyError(`failed decoding: yaml: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}

type Matches = (attributes: Attributes) => boolean;

function compiled(policy: Policy): AuditPolicy {
  const decisionOf = (
    level: string,
    omitStages: readonly string[] = [],
    managed?: boolean,
  ): AuditDecision => ({
    level: level as AuditLevel,
    omitStages: new Set([...(policy.omitStages ?? []), ...omitStages] as AuditStage[]),
    omitManagedFields: managed ?? policy.omitManagedFields ?? false,
  });
  const otherwise = decisionOf('None');
  const rules = policy.rules.map((rule) => ({
    matches: matcherOf(rule),
    decision: decisionOf(rule.level, rule.omitStages, rule.omitManagedFields),
  }));
  return {
    decide(attributes) {
      for (const { matches, decision } of rules) if (matches(attributes)) return decision;
      return otherwise;
    },
  };
}

/**
 * Returns a membership test. Returns undefined for an empty or missing list, as such a list matches every
 * value.
 */
const among = (list: readonly string[] | undefined): ((value: string) => boolean) | undefined => {
  if (list === undefined || list.length === 0) return undefined;
  const set = new Set(list);
  return (value) => set.has(value);
};

function matcherOf(rule: PolicyRule): Matches {
  const user = among(rule.users);
  const group = among(rule.userGroups);
  const verb = among(rule.verbs);
  const target = targetOf(rule);
  return (attributes) =>
    (user?.(attributes.user.username) ?? true) &&
    (group === undefined || attributes.user.groups.some(group)) &&
    (verb?.(attributes.verb) ?? true) &&
    target(attributes);
}

/**
 * Returns the part of a rule's test that concerns resource, namespace and path. A rule with resources or
 * namespaces matches only resource requests, and a rule with `nonResourceURLs` only other requests. A rule
 * with none of the three fields matches every request.
 */
function targetOf({ namespaces, resources = [], nonResourceURLs = [] }: PolicyRule): Matches {
  const namespace = among(namespaces);
  const any = resources.map(resourceMatcher);
  if (namespace !== undefined || any.length > 0)
    return (attributes) =>
      attributes.isResourceRequest &&
      (namespace?.(attributes.namespace) ?? true) &&
      (any.length === 0 || any.some((matches) => matches(attributes)));
  if (nonResourceURLs.length === 0) return () => true;
  return ({ isResourceRequest, path }) =>
    !isResourceRequest && nonResourceURLs.some((url) => matchesPath(path, url));
}

const matchesPath = (path: string, url: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));

function resourceMatcher({ group = '', resources = [], resourceNames }: GroupResources): Matches {
  const named = among(resourceNames);
  return (attributes) => {
    if (attributes.group !== group) return false;
    if (resources.length === 0) return true;
    if (named !== undefined && !named(attributes.name)) return false;
    return resources.some((wanted) => matchesResource(wanted, attributes));
  };
}

/**
 * True if `wanted` selects the request's resource. A bare resource such as `pods` does not select its
 * subresources; `pods/*`, `*` before `/log`, and `*` alone do.
 */
function matchesResource(wanted: string, { resource, subresource }: Attributes): boolean {
  if (wanted === '*') return true;
  if (wanted === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== '' && wanted === `*/${subresource}`) return true;
  return wanted === `${resource}/*`;
}
