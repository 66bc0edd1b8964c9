import { WorkBudget } from '../../base/budget/index.ts';
import type { RequestContext } from '../request.ts';

/** The work budget of a request, made on first use: most reads never need one. */
export const budgetOf = (context: RequestContext): WorkBudget => (context.budget ??= new WorkBudget());
