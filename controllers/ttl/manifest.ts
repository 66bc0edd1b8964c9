import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `ttl`. */
export const ttlManifest = {
  name: 'ttl',
  summary: 'notes on each node how long its agent may cache Secrets and ConfigMaps',
  concurrency: 5,
  permissions: (r) => ({
    account: 'ttl-controller',
    everywhere: [r.can('list patch update watch', 'core', 'nodes'), r.events],
  }),
} as const satisfies ControllerManifest;
