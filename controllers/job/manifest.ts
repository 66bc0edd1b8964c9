import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `job`. */
export const jobManifest = {
  name: 'job',
  summary: 'runs pods until enough of them have succeeded',
  eventSource: 'job-controller',
  concurrency: 20,
  permissions: (r) => ({
    account: 'job-controller',
    everywhere: [
      r.can('get list patch update watch', 'batch', 'jobs'),
      r.can('update', 'batch', 'jobs/status'),
      r.can('update', 'batch', 'jobs/finalizers'),
      r.can('create delete list patch watch', 'core', 'pods'),
      r.events,
    ],
  }),
} as const satisfies ControllerManifest;
