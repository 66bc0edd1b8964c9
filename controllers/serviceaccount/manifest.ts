import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `serviceaccount`. */
export const serviceAccountManifest = {
  name: 'serviceaccount',
  summary: 'creates the ServiceAccount default in every active namespace',
  concurrency: 5,
  permissions: (r) => ({
    account: 'service-account-controller',
    everywhere: [r.can('create', 'core', 'serviceaccounts'), r.events],
  }),
} as const satisfies ControllerManifest;
