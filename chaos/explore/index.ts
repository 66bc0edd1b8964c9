export {
  describeBounds,
  describeEstimate,
  describeExploration,
  describeWalks,
  explorationChecks,
  walkChecks,
} from './describe.ts';
export { type Bounds, type Size, estimate, smallerThan } from './estimate.ts';
export { type ControllerExploration, exploreController, walkController } from './explore-controller.ts';
export { scenarioOfActions } from './module-scenario.ts';
export type { Progress } from './explorer.ts';
export { faultKinds, usualFaults } from './faults.ts';
export { createGroupThreads } from './group-threads.ts';
export { heapUsed } from './heap-used.ts';
export type { Scenario } from './scenario.ts';
export { type Visits, visitsOf } from './visits.ts';
