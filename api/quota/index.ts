export { evaluatorOf, hardOf, isAbout, requirementsOf, usedOf } from './evaluator.ts';
export type { QuotaEvaluator, Requirement } from './kind-evaluator.ts';
export {
  type ResourceList,
  addLists,
  exceeding,
  growth,
  listText,
  maskList,
  maxLists,
  namesBelowZero,
  namesText,
  sameLists,
  toRecord,
  toResourceList,
  withoutZeros,
} from './resource-list.ts';
