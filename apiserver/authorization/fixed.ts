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

/** Lets everyone do everything. */
export const alwaysAllow = always('AlwaysAllow', { verdict: 'allow', reason: '' }, EVERYTHING);

/** Gives nobody leave; being no denial, modes after it are still asked. */
export const alwaysDeny = always('AlwaysDeny', noOpinion('Everything is forbidden.'), NO_RULES);

const ALLOWED: Decision = { verdict: 'allow', reason: '' };

/** Members of `system:masters` may do everything whatever the modes say; stands before them. */
export const privileged: Authorizer = {
  name: 'privileged',
  authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
  rules: ({ groups }) => Promise.resolve(groups.includes(MASTERS) ? EVERYTHING : NO_RULES),
};
