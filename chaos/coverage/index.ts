export { type ExploredMachine, describeExplored, exploredOf } from './explored.ts';
export { machinePartsOf } from './machine-parts.ts';
export { type Survey, type SurveySum, createSurveySum } from './survey.ts';
export { type WeightSum, createWeightSum, describeWeights } from './weights.ts';
