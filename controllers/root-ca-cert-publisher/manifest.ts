import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `root-ca-cert-publisher`. */
export const rootCaCertPublisherManifest = {
  name: 'root-ca-cert-publisher',
  summary: 'publishes the root CA as a ConfigMap in every active namespace',
  concurrency: 5,
  fileFlags: '--root-ca-file',
  permissions: (r) => ({
    account: 'root-ca-cert-publisher',
    everywhere: [r.can('create update', 'core', 'configmaps'), r.events],
  }),
} as const satisfies ControllerManifest;
