export type { Count, ObservedQuota } from './plan.ts';
export { type CountInput, type WriteInput, resourceQuotaMachine } from './resource-quota.ts';
