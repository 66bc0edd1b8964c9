import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `resourcequota`. */
export const resourceQuotaManifest = {
  name: 'resourcequota',
  summary: 'recounts the use of quotas after objects were deleted',
  flagWord: 'resource-quota',
  concurrency: 5,
  permissions: (r) => ({
    account: 'resourcequota-controller',
    everywhere: [r.can('list watch', '*', '*'), r.can('update', 'core', 'resourcequotas/status'), r.events],
  }),
} as const satisfies ControllerManifest;
