import { certificatePermissions } from '../certificate-permissions.ts';
import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `csrsigning`. */
export const csrSigningManifest = {
  name: 'csrsigning',
  summary: 'signs approved certificate requests',
  // A reconcile mostly waits for the signing thread and for the store, which commits concurrent writes
  // together, so a high concurrency is fast.
  concurrency: 50,
  permissions: certificatePermissions,
  fileFlags: '--cluster-signing-cert-file and --cluster-signing-key-file',
} as const satisfies ControllerManifest;
