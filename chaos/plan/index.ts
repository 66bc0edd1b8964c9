export { journalHead, journalLine, readChoices } from './journal.ts';
export { parsePlan } from './plan.ts';
export { type StrikeRecord, type Strikes, createStrikes } from './strikes.ts';
