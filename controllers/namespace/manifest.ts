import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `namespace`. */
export const namespaceManifest = {
  name: 'namespace',
  summary: 'empties namespaces that are being deleted and removes their finalizer',
  concurrency: 10,
  permissions: (r) => ({
    account: 'namespace-controller',
    everywhere: [
      r.can('delete get list watch', 'core', 'namespaces'),
      r.can('update', 'core', 'namespaces/finalize namespaces/status'),
      r.can('delete deletecollection get list', '*', '*'),
    ],
  }),
} as const satisfies ControllerManifest;
