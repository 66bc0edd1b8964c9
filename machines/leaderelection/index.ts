export { type LeaseAnswer, leaderElectionMachine } from './leader-election.ts';
export { type LeaseRecord, endsMs, moveOn, termAfter } from './lease-record.ts';
