export {
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  resourceOf,
  verdict,
} from './invariants/invariant.ts';
export type { Commit, Invariant, LiveView, InvariantResult } from './invariants/invariant.ts';
export type { Action } from './world/user.ts';
export type { ModuleScenario, SubjectModule } from './run/subject.ts';
