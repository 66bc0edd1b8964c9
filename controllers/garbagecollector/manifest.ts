import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `garbagecollector`. */
export const garbageCollectorManifest = {
  name: 'garbagecollector',
  summary: 'deletes objects whose owners were deleted, and carries out foreground and orphan deletion',
  eventSource: 'garbage-collector-controller',
  flagWord: 'gc',
  // Each running collector caches the metadata of every object, which several processes need not repeat.
  single: true,
  // A reconcile mostly waits for the store, which commits concurrent writes together, so a high concurrency
  // is fast.
  concurrency: 100,
  permissions: (r) => ({
    account: 'generic-garbage-collector',
    everywhere: [r.can('delete get list patch update watch', '*', '*'), r.events],
  }),
} as const satisfies ControllerManifest;
