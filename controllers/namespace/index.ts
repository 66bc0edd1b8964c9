export { namespaceManifest } from './manifest.ts';
