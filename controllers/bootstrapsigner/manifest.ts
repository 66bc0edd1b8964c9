import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `bootstrapsigner`. */
export const bootstrapSignerManifest = {
  name: 'bootstrapsigner',
  summary: 'signs the ConfigMap cluster-info with the bootstrap tokens that may sign it',
  // There is only one object to sign.
  concurrency: 1,
  ofBootstrapTokens: true,
  permissions: (r) => ({
    account: 'bootstrap-signer',
    public: [r.read('core', 'configmaps'), r.can('update', 'core', 'configmaps', ['cluster-info']), r.events],
    system: [r.read('core', 'secrets')],
  }),
} as const satisfies ControllerManifest;
