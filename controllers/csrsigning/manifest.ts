import { certificatePermissions } from '../certificate-permissions.ts';
import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `csrsigning`. */
export const csrSigningManifest = {
  name: 'csrsigning',
  summary: 'signs approved certificate requests',
  // Most of a reconcile waits: for another thread to sign, and for the store, which commits concurrent writes together.
  concurrency: 50,
  permissions: certificatePermissions,
  fileFlags: '--cluster-signing-cert-file and --cluster-signing-key-file',
} as const satisfies ControllerManifest;
