export { Interruption, inSteps, isInSteps, part, undivided } from './steps.ts';
export { WorkBudget, WorkBudgetError, charged, nextSlice, spend } from './work-budget.ts';
