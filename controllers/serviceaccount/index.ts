export { serviceAccountManifest } from './manifest.ts';
