export { jobManifest } from './manifest.ts';
export { jobNames } from './names.ts';
