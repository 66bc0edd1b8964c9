import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `cronjob`. */
export const cronJobManifest = {
  name: 'cronjob',
  summary: 'creates Jobs on a schedule',
  eventSource: 'cronjob-controller',
  // Two would never run a due time twice, but may start a Job late beside another that `Forbid` should have waited for.
  single: true,
  deadlineSensitive: true,
  // All that are due at a full hour wait for the store, which writes what comes together at one stroke.
  concurrency: 300,
  permissions: (r) => ({
    account: 'cronjob-controller',
    everywhere: [
      r.can('get list update watch', 'batch', 'cronjobs'),
      r.can('create delete get list patch update watch', 'batch', 'jobs'),
      r.can('update', 'batch', 'cronjobs/status'),
      r.can('update', 'batch', 'cronjobs/finalizers'),
      r.can('delete list', 'core', 'pods'),
      r.events,
    ],
  }),
} as const satisfies ControllerManifest;
