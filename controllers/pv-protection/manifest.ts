import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `pv-protection`. */
export const pvProtectionManifest = {
  name: 'pv-protection',
  summary: 'keeps a volume that is being deleted while it is bound to a claim',
  concurrency: 5,
  permissions: (r) => ({
    account: 'pv-protection-controller',
    everywhere: [r.can('get list update watch', 'core', 'persistentvolumes'), r.events],
  }),
} as const satisfies ControllerManifest;
