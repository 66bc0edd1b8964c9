import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `ttlafterfinished`. */
export const ttlAfterFinishedManifest = {
  name: 'ttlafterfinished',
  summary: 'deletes finished Jobs, with their pods, after their time to live',
  aliases: ['ttl-after-finished'],
  flagWord: 'ttl-after-finished',
  concurrency: 5,
  permissions: (r) => ({
    account: 'ttl-after-finished-controller',
    everywhere: [r.can('delete get list watch', 'batch', 'jobs'), r.events],
  }),
} as const satisfies ControllerManifest;
