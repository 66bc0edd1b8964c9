import { certificatePermissions } from '../certificate-permissions.ts';
import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `csrapproving`. */
export const csrApprovingManifest = {
  name: 'csrapproving',
  summary: 'approves client certificates of node agents whose requester may create them',
  concurrency: 5,
  permissions: certificatePermissions,
} as const satisfies ControllerManifest;
