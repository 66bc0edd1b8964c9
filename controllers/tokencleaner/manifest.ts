import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `tokencleaner`. */
export const tokenCleanerManifest = {
  name: 'tokencleaner',
  summary: 'deletes expired bootstrap tokens',
  concurrency: 5,
  ofBootstrapTokens: true,
  permissions: (r) => ({
    account: 'token-cleaner',
    system: [r.can('delete get list watch', 'core', 'secrets'), r.events],
  }),
} as const satisfies ControllerManifest;
