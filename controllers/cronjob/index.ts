export { cronJobManifest } from './manifest.ts';
