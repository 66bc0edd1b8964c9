import type { Decision, ResolvedRules } from '../request.ts';

/** Shared decision without a reason, so that no object is allocated per request. */
export const NO_OPINION: Decision = { verdict: 'no-opinion', reason: '' };

export const noOpinion = (reason: string): Decision => ({ verdict: 'no-opinion', reason });

export const NO_RULES: ResolvedRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: false,
  error: '',
};
