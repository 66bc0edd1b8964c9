import type { Authorizer, ResolvedRules } from '../request.ts';

/**
 * The first that allows or denies decides; when none has an opinion the request is refused with all their reasons, a
 * line each (specification 1, section 5.10).
 */
export function createUnion(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    async authorize(attributes) {
      const reasons: string[] = [];
      const errors: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(attributes);
        if (decision.verdict !== 'no-opinion') return decision;
        if (decision.reason !== '') reasons.push(decision.reason);
        if (decision.error !== undefined) errors.push(decision.error);
      }
      return {
        verdict: 'no-opinion',
        reason: reasons.join('\n'),
        ...(errors.length > 0 && { error: errorList(errors) }),
      };
    },
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

/** Several errors as Go prints them: `[a, b]`. */
const errorList = (errors: readonly string[]): string =>
  errors.length > 1 ? `[${errors.join(', ')}]` : (errors[0] ?? '');
