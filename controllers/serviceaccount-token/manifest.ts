import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `serviceaccount-token`. */
export const serviceAccountTokenManifest = {
  name: 'serviceaccount-token',
  summary: 'writes tokens into the Secrets of service accounts, and deletes those whose account was deleted',
  concurrency: 5,
  fileFlags: '--service-account-private-key-file',
} as const satisfies ControllerManifest;
