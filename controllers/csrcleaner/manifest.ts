import { certificatePermissions } from '../certificate-permissions.ts';
import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `csrcleaner`. */
export const csrCleanerManifest = {
  name: 'csrcleaner',
  summary: 'deletes certificate requests that have expired',
  concurrency: 5,
  permissions: certificatePermissions,
} as const satisfies ControllerManifest;
