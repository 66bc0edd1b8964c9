import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `cronjob`. */
export const cronJobManifest = {
  name: 'cronjob',
  summary: 'creates Jobs on a schedule',
  eventSource: 'cronjob-controller',
  // Two processes never run a due time twice. But one of them may start a late Job while another Job runs,
  // although `Forbid` should prevent that.
  single: true,
  deadlineSensitive: true,
  // CronJobs that are due at the full hour wait for the store, which commits concurrent writes together, so a
  // high concurrency is fast.
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
