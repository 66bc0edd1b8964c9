import { type Soon, whenThere } from '../../base/async/index.ts';
import type { Attributes, Authorizer, Decision, ResolvedRules } from '../request.ts';

/**
 * Calls the authorizers in order until one has an opinion. `silent` holds the decisions of the previous
 * authorizers.
 */
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
 * Creates a union of authorizers (https://kubernetes.io/docs/reference/access-authn-authz/authorization/).
 * The first authorizer that allows or denies decides. If no authorizer has an opinion, the union has none,
 * and its reason contains all reasons, one per line.
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

/** Formats several errors as Go prints them: `[a, b]`. */
const errorList = (errors: readonly string[]): string =>
  errors.length > 1 ? `[${errors.join(', ')}]` : (errors[0] ?? '');
