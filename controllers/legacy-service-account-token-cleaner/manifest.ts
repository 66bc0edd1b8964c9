import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `legacy-service-account-token-cleaner`. */
export const legacyTokenCleanerManifest = {
  name: 'legacy-service-account-token-cleaner',
  summary: 'marks and then deletes unused generated token Secrets',
  concurrency: 5,
  // A release later than 1.24 introduced the controller.
  offByDefault: true,
  permissions: (r, { short }) => ({
    account: 'legacy-service-account-token-cleaner',
    everywhere: [
      r.read('core', 'configmaps', [`${short}-apiserver-legacy-service-account-token-tracking`]),
      r.can('delete get list patch watch', 'core', 'secrets'),
      r.read('core', 'pods serviceaccounts'),
    ],
  }),
} as const satisfies ControllerManifest;
