export { conditionInvariant } from './conditions.ts';
export { eventInvariant } from './events.ts';
