export { deepFreeze } from './deep-freeze.ts';
export { IntrusiveList, type Linked } from './intrusive-list.ts';
export { isRecord } from './record.ts';
export { Slots } from './slots.ts';
