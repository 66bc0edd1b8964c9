import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `pvc-protection`. */
export const pvcProtectionManifest = {
  name: 'pvc-protection',
  summary: 'keeps a claim that is being deleted while a pod uses it',
  concurrency: 5,
  permissions: (r) => ({
    account: 'pvc-protection-controller',
    everywhere: [
      r.can('get list update watch', 'core', 'persistentvolumeclaims'),
      r.read('core', 'pods'),
      r.events,
    ],
  }),
} as const satisfies ControllerManifest;
