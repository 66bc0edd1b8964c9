export { type ExploredMachine, describeExplored, exploredOf } from './explored.ts';
export { machinePartsOf } from './machine-parts.ts';
export { type Survey, type SurveySum, createSurveySum } from './survey.ts';
