export { credentialsOf } from './credentials.ts';
export { type FaultName, faultKinds, isRedisFault, ordinaryFaults, sharedKeyFaults } from './fault-kinds.ts';
export type { Action } from './user.ts';
