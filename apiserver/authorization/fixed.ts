import type { Authorizer, Decision, ResolvedRules } from '../request.ts';
import { MASTERS } from '../auth/groups.ts';
import { NO_OPINION, NO_RULES, noOpinion } from './decisions.ts';

const EVERYTHING: ResolvedRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  error: '',
};

const always = (name: string, decision: Decision, rules: ResolvedRules): Authorizer => ({
  name,
  authorize: () => decision,
  rules: () => Promise.resolve(rules),
});

/** Authorizer that allows every request. */
export const alwaysAllow = always('AlwaysAllow', { verdict: 'allow', reason: '' }, EVERYTHING);

/**
 * Authorizer that allows no request. It has no opinion instead of denying, so that later authorizers may
 * allow the request.
 */
export const alwaysDeny = always('AlwaysDeny', noOpinion('Everything is forbidden.'), NO_RULES);

const ALLOWED: Decision = { verdict: 'allow', reason: '' };

/** Authorizer that allows every request by members of `system:masters`. It precedes the configured modes. */
export const privileged: Authorizer = {
  name: 'privileged',
  authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
  rules: ({ groups }) => Promise.resolve(groups.includes(MASTERS) ? EVERYTHING : NO_RULES),
};
