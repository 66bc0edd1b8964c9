import { type Soon, whenThere } from '../../base/async/index.ts';
import type { Attributes, Authorizer, Decision, ResolvedRules } from '../request.ts';

/** Asks the authorizers in order; `silent` has the decisions of those without an opinion. */
function decide(
  rest: readonly Authorizer[],
  attributes: Attributes,
  silent: readonly Decision[],
): Soon<Decision> {
  const [authorizer, ...others] = rest;
  if (authorizer === undefined) return noOpinion(silent);
  return whenThere(authorizer.authorize(attributes), (decision) =>
    decision.verdict === 'no-opinion' ? decide(others, attributes, [...silent, decision]) : decision,
  );
}

function noOpinion(silent: readonly Decision[]): Decision {
  const errors = silent.flatMap(({ error }) => error ?? []);
  return {
    verdict: 'no-opinion',
    reason: silent.flatMap(({ reason }) => (reason === '' ? [] : [reason])).join('\n'),
    ...(errors.length > 0 && { error: errorList(errors) }),
  };
}

/**
 * Creates a union: the first authorizer that allows or denies decides. If none has an opinion, neither has
 * the union; its reason lists all reasons, one per line
 * (https://kubernetes.io/docs/reference/access-authn-authz/authorization/).
 */
export function createUnion(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    authorize: (attributes) => decide(authorizers, attributes, []),
    async rules(user, namespace) {
      const found: ResolvedRules[] = [];
      for (const authorizer of authorizers)
        if (authorizer.rules !== undefined) found.push(await authorizer.rules(user, namespace));
      return {
        resourceRules: found.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: found.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: found.some(({ incomplete }) => incomplete),
        error: errorList(found.map(({ error }) => error).filter((error) => error !== '')),
      };
    },
  };
}

/** Joins several errors as Go prints them: `[a, b]`. */
const errorList = (errors: readonly string[]): string =>
  errors.length > 1 ? `[${errors.join(', ')}]` : (errors[0] ?? '');
