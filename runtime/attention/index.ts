export { nameOf } from './cached-objects.ts';
export { type AttentionList, type AttentionOptions, createAttentionList } from './attention-list.ts';
export type { AttentionItem, ObjectLink } from '../journal/attention-item.ts';
export {
  type AttentionRules,
  type FailingKey,
  type FailureRule,
  type Finding,
  type Found,
  type ObjectRule,
  type RuleFacts,
  objectRule,
} from './rule.ts';
