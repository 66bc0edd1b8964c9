import { apiServiceLifecycle } from './api-service.ts';
import { bootstrapTokenLifecycle } from './bootstrap-token.ts';
import { requestLifecycle } from './certificate-request.ts';
import { cronJobLifecycle } from './cron-job.ts';
import { definitionLifecycle } from './custom-resource-definition.ts';
import { deletionLifecycle } from './deletion.ts';
import { flowSchemaLifecycle } from './flow-schema.ts';
import { jobLifecycle } from './job.ts';
import { leaseLifecycle } from './lease.ts';
import type { Lifecycle } from './lifecycle.ts';
import { namespaceLifecycle } from './namespace.ts';
import { claimLifecycle } from './persistent-volume-claim.ts';
import { volumeLifecycle } from './persistent-volume.ts';
import { podLifecycle } from './pod.ts';
import { tokenSecretLifecycle } from './token-secret.ts';

export {
  ABSENT,
  ANY,
  type Actor,
  DELETED,
  type Lifecycle,
  type LifecycleContext,
  OTHER_ACTORS,
  type Transition,
  originsOf,
  projected,
  transitionOf,
} from './lifecycle.ts';

export { requestLifecycle } from './certificate-request.ts';
export { namespaceLifecycle } from './namespace.ts';
export { claimLifecycle } from './persistent-volume-claim.ts';

/** Lifecycles of all kinds with states, and that of every object's deletion. */
export const lifecycles: readonly Lifecycle[] = [
  deletionLifecycle,
  requestLifecycle,
  bootstrapTokenLifecycle,
  tokenSecretLifecycle,
  namespaceLifecycle,
  cronJobLifecycle,
  jobLifecycle,
  podLifecycle,
  claimLifecycle,
  volumeLifecycle,
  definitionLifecycle,
  apiServiceLifecycle,
  flowSchemaLifecycle,
  leaseLifecycle,
];
