export { type ExplicitRule, explicitRules } from './explicit.ts';
export { journalHead, journalLine, readChoices } from './journal.ts';
export { type FaultPlan, parsePlan } from './plan.ts';
export { readyPlanNames, readyPlans, readyPlanText } from './ready-plans.ts';
export { type StrikeRecord, type Strikes, createStrikes } from './strikes.ts';
export { isClientFault } from './wire-faults.ts';
