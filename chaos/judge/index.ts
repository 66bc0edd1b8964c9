export { type JudgedHistory, type RuleTally, judgeHistory, wireRules } from './judge.ts';
export type { Finding, WireRule } from './rule.ts';
export { type WireStoryLine, storyOf } from './story.ts';
export { parseUserRules } from './user-rules.ts';
export type { WireHistory } from './wire-history.ts';
export {
  type WireReport,
  type WireRunSummary,
  type WireVerdict,
  describeWireReport,
  renderWireReport,
  wireChecks,
} from './report.ts';
