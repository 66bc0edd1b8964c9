import { WorkBudget } from '../../../base/budget/index.ts';
import type { RequestContext } from '../../request.ts';

/** Returns the work budget of a request. It is created on first use, as most reads need none. */
export const budgetOf = (context: RequestContext): WorkBudget => (context.budget ??= new WorkBudget());
