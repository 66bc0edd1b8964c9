import type { Decision, ResolvedRules } from '../request.ts';

/** Shared decision without a reason, so that requests do not allocate one each. */
export const NO_OPINION: Decision = { verdict: 'no-opinion', reason: '' };

export const noOpinion = (reason: string): Decision => ({ verdict: 'no-opinion', reason });

export const NO_RULES: ResolvedRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: false,
  error: '',
};
