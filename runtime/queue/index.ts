// Protocol of the queue server, which chaos/ simulates. Programs import the queues from runtime/index.ts.
export { createSharedQueues } from './bullmq-queue.ts';
export { CLAIM_MS, REMEMBERED_MS, TAKE_LEASE_MS, claimOf } from './queue-server.ts';
export type { Claim, KeyChanges, KeyJob, KeyTimers, QueueLink, QueueServer } from './queue-server.ts';
